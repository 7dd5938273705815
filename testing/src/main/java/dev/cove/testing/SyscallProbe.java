package dev.cove.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A static program that tries system calls, to be run inside a sandbox. */
public final class SyscallProbe {
  private SyscallProbe() {}

  /** Compiles it to {@code target}. */
  public static void compile(Path target) throws IOException, InterruptedException {
    Path source = Files.createTempFile("syscall-probe", ".c");
    try (var stream = SyscallProbe.class.getResourceAsStream("syscall-probe.c")) {
      if (stream == null) {
        throw new IllegalStateException("syscall-probe.c is not on the class path");
      }
      Files.write(source, stream.readAllBytes());
      var gcc =
          new ProcessBuilder("gcc", "-static", "-O1", "-o", target.toString(), source.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (gcc.waitFor() != 0) {
        throw new IOException("gcc failed: " + said);
      }
    } finally {
      Files.delete(source);
    }
  }

  /** The answer per call. */
  public static Map<String, String> parse(String output) {
    var answers = new HashMap<String, String>();
    for (String line : output.strip().split("\n")) {
      String[] words = line.split(" ", 2);
      answers.put(words[0], words.length > 1 ? words[1] : "");
    }
    return Map.copyOf(answers);
  }
}
