package dev.cove.engine.container;

import dev.cove.engine.Cage;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The small program that plays the agent, and how to talk to it. */
final class TestInit {
  private TestInit() {}

  static Path compile(Path folder) throws IOException, InterruptedException {
    Path binary = folder.resolve("test-init");
    var process =
        new ProcessBuilder(
                "gcc", "-static", "-Os", "-o", binary.toString(), "src/test/c/test-init.c")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("gcc failed: " + output);
    }
    return binary;
  }

  static String asRoot(Cage cage, String script) throws IOException {
    return run(cage, 'r', script);
  }

  static String asUser(Cage cage, String script) throws IOException {
    return run(cage, 'u', script);
  }

  private static String run(Cage cage, char who, String script) throws IOException {
    try (var channel = cage.connect()) {
      var output = Channels.newOutputStream(channel);
      output.write((who + "exec 2>&1\n" + script + "\nexit\n").getBytes(StandardCharsets.UTF_8));
      channel.shutdownOutput();
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
