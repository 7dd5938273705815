package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Programs that misbehave, compiled on this host and run inside sandboxes only. */
final class HostileProgram {
  private static final Path SOURCES =
      Path.of(System.getProperty("basedir", ".")).resolve("src/security/c");
  private static final Map<String, byte[]> COMPILED = new HashMap<>();
  private static final int COMPILER_SECONDS = 60;

  private HostileProgram() {}

  /** A static 64-bit program from {@code <name>.c}. */
  static byte[] compile(String name) throws IOException, InterruptedException {
    return compile(name, List.of("-static", "-pthread"));
  }

  /** A 32-bit program without any library, so that no 32-bit library has to be installed. */
  static byte[] compile32(String name) throws IOException, InterruptedException {
    return compile(
        name, List.of("-m32", "-static", "-nostdlib", "-ffreestanding", "-fno-pic", "-no-pie"));
  }

  private static byte[] compile(String name, List<String> how)
      throws IOException, InterruptedException {
    synchronized (COMPILED) {
      byte[] known = COMPILED.get(name);
      if (known == null) {
        known = run(name, how);
        COMPILED.put(name, known);
      }
      return known.clone();
    }
  }

  private static byte[] run(String name, List<String> how)
      throws IOException, InterruptedException {
    Path program = Files.createTempFile("cove-hostile-", ".bin");
    try {
      var command = new ArrayList<String>(List.of("gcc", "-O1", "-Wall", "-Werror"));
      command.addAll(how);
      command.addAll(List.of("-o", program.toString(), SOURCES.resolve(name + ".c").toString()));
      Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(compiler.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(compiler.exitValue()).as(said).isZero();
      return Files.readAllBytes(program);
    } finally {
      Files.deleteIfExists(program);
    }
  }
}
