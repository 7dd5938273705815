package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What happens when sandboxes take all the memory they were promised, and there is less. Together
 * they have a few hundred megabytes, so that the machine itself is in no danger.
 */
class MemoryPressureTest {
  private static final int CAP_SYS_RESOURCE = 24;
  private static final int EACH_MB = 128;
  private static final int TOGETHER_MB = 320;
  private static final int MOST = 5; // of 128 in twice 320

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of(
              "COVE_MEMORY_MB", Integer.toString(TOGETHER_MB),
              "COVE_MEMORY_OVERCOMMIT", "2",
              "COVE_POOL_SIZE", "0",
              "COVE_CREATE_WAIT_MS", "0"));

  private final List<Sandbox> boxes = new ArrayList<>();

  @AfterEach
  void removeAll() {
    boxes.forEach(Sandbox::close);
  }

  private Sandbox create() {
    Sandbox box = server.create(CreateOptions.defaults().memoryMb(EACH_MB));
    boxes.add(box);
    return box;
  }

  private static String score(long pid) throws IOException {
    return Files.readString(Path.of("/proc/" + pid + "/oom_score_adj")).strip();
  }

  /** Takes nearly as much as it may, and holds it until all have had their chance. */
  private static ExecResult eat(Sandbox box) {
    String program =
        """
        import time
        held = []
        for _ in range(100):
          held.append(bytearray(b"x" * (1 << 20)))
          time.sleep(0.01)
        time.sleep(4)
        """;
    return box.exec("python3", "-c", program);
  }

  @Test
  void only_commands_die_of_want_and_they_are_told_so_while_server_and_sandboxes_go_on()
      throws Exception {
    for (int i = 0; i < MOST; i++) {
      create();
    }
    long pid = server.pid();
    var ends = new ArrayList<ExecResult>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var eating = new ArrayList<Future<ExecResult>>();
      boxes.forEach(box -> eating.add(threads.submit(() -> eat(box))));
      for (Future<ExecResult> end : eating) {
        ends.add(end.get());
      }
    }
    assertThat(ends)
        .as("500 MB in 320")
        .anySatisfy(end -> {
          assertThat(end.exit().oomKilled()).isTrue();
          assertThat(end.exitCode()).isEqualTo(137);
        });
    assertThat(ends)
        .filteredOn(end -> !end.exit().oomKilled())
        .as("whoever was not killed has had what it was promised")
        .isNotEmpty()
        .allSatisfy(end -> assertThat(end.exitCode()).isZero());
    assertThat(server.isAlive()).isTrue();
    assertThat(server.pid()).isEqualTo(pid);
    for (Sandbox box : boxes) {
      assertThat(box.fetchInfo().state()).isEqualTo("running");
      assertThat(box.exec("echo", "here").stdout()).isEqualTo("here\n");
    }
  }

  @Test
  void no_more_is_promised_than_the_operator_said_and_only_a_stop_gives_a_promise_back() {
    for (int i = 0; i < MOST; i++) {
      create();
    }
    assertThatThrownBy(this::create)
        .isInstanceOfSatisfying(
            CoveApiException.class,
            e -> {
              assertThat(e.code()).isEqualTo("no_room");
              assertThat(e.detail()).contains("promised 640 MB of the 640");
            });
    Sandbox first = boxes.getFirst();
    first.pause();
    assertThatThrownBy(this::create).hasMessageContaining("promised 640 MB");
    first.stop();
    create();
    assertThatThrownBy(first::start).hasMessageContaining("promised 640 MB");
    assertThatThrownBy(() -> server.create(CreateOptions.defaults().memoryMb(TOGETHER_MB + 1)))
        .hasMessageContaining("can have 320 at most");
  }

  @Test
  void the_kernel_spares_the_server_first_and_the_agents_next_or_the_doctor_says_why_not()
      throws Exception {
    Sandbox box = create();
    boolean allowed = mayLowerScores();
    String before = score(ProcessHandle.current().pid());
    assertThat(score(server.pid())).isEqualTo(allowed ? "-900" : before);
    assertThat(score(HostProcesses.spawnerOf(server.pid()))).isEqualTo(allowed ? "-900" : before);
    assertThat(Cli.of(server).doctor().stdout())
        .contains(
            allowed
                ? "The kernel spares the server"
                : "The server cannot have itself spared when the host's memory runs out");
    String inside =
        box.exec(
                Command.shell(
                        """
                        cat /proc/1/oom_score_adj /proc/self/oom_score_adj
                        echo -900 > /proc/1/oom_score_adj || true
                        cat /proc/1/oom_score_adj
                        """)
                    .user("root"))
            .stdout();
    assertThat(inside.lines()).containsExactly("250", "500", "250");
  }

  private static boolean mayLowerScores() throws IOException {
    String effective =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("CapEff:"))
            .findFirst()
            .orElseThrow();
    long rights = Long.parseUnsignedLong(effective.substring("CapEff:".length()).strip(), 16);
    return (rights >> CAP_SYS_RESOURCE & 1) == 1;
  }
}
