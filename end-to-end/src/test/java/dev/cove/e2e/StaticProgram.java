package dev.cove.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program that needs nothing else in an image: it says who runs it, where and with what, or which
 * attributes a file has.
 */
public final class StaticProgram {
  private static final String SOURCE =
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/xattr.h>
      #include <unistd.h>
      int main(int argc, char **argv) {
        if (argc == 3 && strcmp(argv[1], "attributes") == 0) {
          char names[4096];
          ssize_t size = listxattr(argv[2], names, sizeof names);
          for (ssize_t at = 0; at < size; at += strlen(names + at) + 1) puts(names + at);
          return size < 0;
        }
        char cwd[4096];
        const char *greeting = getenv("GREETING");
        printf("uid=%d cwd=%s greeting=%s args=", getuid(), getcwd(cwd, sizeof cwd),
               greeting ? greeting : "none");
        for (int i = 1; i < argc; i++) printf("%s%s", i > 1 ? "," : "", argv[i]);
        printf("\\n");
        return 0;
      }
      """;

  private StaticProgram() {}

  public static byte[] bytes() {
    try {
      Path folder = Files.createTempDirectory("cove-program");
      try {
        Path source = Files.writeString(folder.resolve("say.c"), SOURCE);
        Path program = folder.resolve("say");
        Process compiler =
            new ProcessBuilder(
                    "musl-gcc", "-static", "-Os", "-s", "-o", program.toString(), source.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
          throw new IOException("musl-gcc failed: " + said);
        }
        return Files.readAllBytes(program);
      } finally {
        RunningServer.removeTree(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
