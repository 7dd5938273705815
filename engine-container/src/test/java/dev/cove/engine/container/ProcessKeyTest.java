package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ProcessKeyTest {
  private static String[] fields(int pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/%d/stat".formatted(pid)));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
  }

  private static long startTime(int pid) throws IOException {
    return Long.parseLong(fields(pid)[19]);
  }

  @Test
  void a_zombie_that_nobody_buries_does_not_run() throws Exception {
    // The shell becomes a program that never asks what became of its child.
    Process parent = new ProcessBuilder("sh", "-c", "sleep 0.2 & echo $!; exec sleep 600").start();
    try (BufferedReader out = parent.inputReader()) {
      int child = Integer.parseInt(out.readLine());
      var key = new ProcessKey(child, startTime(child));
      Awaitility.await("it to be a zombie").until(() -> fields(child)[0].equals("Z"));
      assertThat(key.runs()).isFalse();

      int pid = (int) parent.pid();
      assertThat(new ProcessKey(pid, startTime(pid)).runs()).isTrue();
      assertThat(new ProcessKey(pid, startTime(pid) + 1).runs())
          .as("another process that has its number now")
          .isFalse();
    } finally {
      parent.destroyForcibly().waitFor();
    }
    assertThat(new ProcessKey((int) parent.pid(), 1).runs()).isFalse();
  }
}
