package dev.cove.bench.measure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A small C program of the bench's own, for whatever stands at the ends of what is measured: on the
 * few processors of this machine a client or server in Java would be measured along with it.
 */
final class NativeProgram {
  private NativeProgram() {}

  /** Compiles it with what Cove's own programs are compiled with; it runs in any sandbox. */
  static Path compile(String name, Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve(name + ".c");
    try (InputStream text =
        NativeProgram.class.getResourceAsStream("/dev/cove/bench/" + name + ".c")) {
      if (text == null) {
        throw new IOException("The bench has no program " + name + ".");
      }
      Files.copy(text, source);
    }
    Path program = folder.resolve(name);
    Process compiler =
        new ProcessBuilder(
                List.of("musl-gcc", "-O2", "-static", "-o", program.toString(), source.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new IOException("The program " + name + " could not be compiled: " + said);
    }
    return program;
  }
}
