package dev.cove.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nobody's slowness costs anybody else: not the agent's memory, not ours, not another command. */
@Timeout(120)
class FlowTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private static CommandSpec root(boolean stdin, boolean keep, String... argv) {
    return new CommandSpec(
        List.of(argv), Map.of(), "/", "root", stdin, Optional.empty(), Duration.ZERO, keep);
  }

  private static long written(int pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/io")).stream()
        .filter(line -> line.startsWith("wchar:"))
        .mapToLong(line -> Long.parseLong(line.substring(7)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_reader_that_stopped_holds_back_its_command_and_nothing_else() throws Exception {
    GuestLink link = agent.link();
    try (Command yes = link.start(root(false, false, "yes"))) {
      assertThat(yes.stdout().read()).isEqualTo('y');
      long held = 0;
      long now = written(yes.pid());
      while (now != held) { // until it writes no more
        held = now;
        try (Command other = link.start(root(false, false, "sleep", "0.2"))) {
          assertThat(ExecTest.exitOf(other).code()).isZero();
        }
        now = written(yes.pid());
      }
      assertThat(held).isBetween(1L << 20, (1L << 20) + (1 << 19));
      assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
      // and goes on where it stopped
      byte[] next = yes.stdout().readNBytes(5_000_000);
      for (int i = 0; i < next.length; i++) {
        assertThat(next[i]).isEqualTo((byte) (i % 2 == 0 ? '\n' : 'y'));
      }
    }
  }

  @Test
  void a_command_that_nobody_is_attached_to_runs_on() throws Exception {
    GuestLink link = agent.link();
    Command first = link.start(root(false, true, "head", "-c", "50000000", "/dev/zero"));
    first.close();
    Await.until(
        "it wrote everything",
        () -> link.processes().getFirst().exit().map(e -> e.code() == 0).orElse(false));
    assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
  }

  @Test
  void a_command_that_reads_nothing_holds_back_its_writer_and_nothing_else() throws Exception {
    GuestLink link = agent.link();
    try (Command sleeper = link.start(root(true, false, "sleep", "100"))) {
      Thread writer =
          Thread.startVirtualThread(() -> {
            try {
              sleeper.stdin().write(new byte[10_000_000]);
            } catch (IOException e) {
              // closed at the end of the test
            }
          });
      Await.until("the writer waits", () -> writer.getState() == Thread.State.WAITING);
      assertThat(link.processes()).hasSize(1);
      try (Command cat = link.start(root(true, false, "cat"))) {
        cat.stdin().write(7);
        assertThat(cat.stdout().read()).isEqualTo(7);
      }
      assertThat(writer.isAlive()).isTrue();
      assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
    }
  }

  @Test
  void a_stream_that_is_closed_here_does_not_hold_the_command_back() throws Exception {
    try (Command command =
        agent.link().start(root(false, false, "head", "-c", "20000000", "/dev/zero"))) {
      command.stdout().close();
      assertThat(ExecTest.exitOf(command).code()).isZero();
    }
  }

  @Test
  void much_data_goes_both_ways_through_one_command() throws Exception {
    long size = 64L << 20;
    try (Command cat = agent.link().start(root(true, false, "cat"))) {
      Thread.startVirtualThread(() -> {
        try {
          byte[] chunk = new byte[1 << 16];
          for (long sent = 0; sent < size; sent += chunk.length) {
            cat.stdin().write(chunk);
          }
          cat.stdin().close();
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      });
      assertThat(count(cat.stdout())).isEqualTo(size);
      assertThat(ExecTest.exitOf(cat).code()).isZero();
    }
  }

  @Test
  void a_gibibyte_goes_in_and_out_of_a_file_with_flat_memory() throws Exception {
    long size = 1L << 30;
    GuestFiles files = agent.link().files("root");
    String path = agent.work().resolve("big").toString();
    FileInfo info = files.write(path, new Zeros(size), OptionalInt.empty(), false);
    assertThat(info.size()).isEqualTo(size);
    assertThat(agent.residentKilobytes()).isLessThan(6 * 1024);
    try (GuestFiles.FileContent content = files.read(path, 0, -1)) {
      assertThat(count(content.stream())).isEqualTo(size);
    }
    assertThat(agent.residentKilobytes()).isLessThan(6 * 1024);
  }

  @Test
  void a_download_that_nobody_takes_holds_up_nothing() throws Exception {
    GuestFiles files = agent.link().files("root");
    String path = agent.work().resolve("big").toString();
    files.write(path, new Zeros(8 << 20), OptionalInt.empty(), false);
    for (int i = 0; i < 40; i++) {
      files.read(path, 0, -1); // neither read nor closed
    }
    assertThat(files.stat(path, true).size()).isEqualTo(8 << 20);
    assertThat(agent.residentKilobytes()).isLessThan(12 * 1024);
  }

  private static long count(InputStream in) throws IOException {
    byte[] chunk = new byte[1 << 16];
    long sum = 0;
    for (int n; (n = in.read(chunk)) >= 0; ) {
      sum += n;
    }
    return sum;
  }

  private static final class Zeros extends InputStream {
    private long left;

    Zeros(long size) {
      left = size;
    }

    @Override
    public int read() {
      return left-- > 0 ? 0 : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (left <= 0) {
        return -1;
      }
      int n = (int) Math.min(left, length);
      left -= n;
      return n;
    }
  }
}
