package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.RunningCommand;
import dev.cove.security.HostView.HostProcess;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** More output than anybody reads. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OutputFloodTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final long MEMORY_ROOM = 64L * 1024 * 1024;
  private static final String TEN_GIGABYTES = "head -c 10737418240 /dev/zero";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @SuppressWarnings("NullAway.Init") // set before every test
  private Bystander bystander;

  @SuppressWarnings("NullAway.Init") // set before every test
  private Intruder intruder;

  @BeforeEach
  void start() {
    bystander = Bystander.in(SERVER.cove());
    intruder = Intruder.in(SERVER.cove());
    // Touches the heap once, so that what is measured later is growth and not warming up.
    for (int i = 0; i < 4; i++) {
      intruder.shell("user", "head -c 100000000 /dev/zero");
    }
  }

  @AfterEach
  void end() {
    intruder.close();
    bystander.close();
  }

  @Test
  void ten_gigabytes_with_a_reader_that_stopped_wait_in_the_sandbox() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    bystander.unharmedBy(() -> {
      var stalled = new ArrayList<RunningCommand>();
      try {
        for (int i = 0; i < 4; i++) {
          RunningCommand command = intruder.box().start(Command.shell(TEN_GIGABYTES));
          assertThat(command.stdout().readNBytes(1000)).hasSize(1000);
          stalled.add(command);
        }
        Awaitility.await("the writers to be held back")
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(200))
            .until(() -> asleep("head") == 4);
        assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
        assertThat(stalled.getFirst().waitFor(Duration.ZERO)).isEmpty();
        // The same sandbox goes on working beside them.
        intruder.assertUsable();
      } finally {
        stalled.forEach(RunningCommand::close);
      }
      Awaitility.await("closing to end the commands")
          .atMost(PATIENCE)
          .until(() -> running("head") == 0);
    });
  }

  @Test
  void a_client_that_takes_no_event_holds_back_its_command_only() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    bystander.unharmedBy(() -> {
      String body = "{\"command\":[\"sh\",\"-c\",\"" + TEN_GIGABYTES + "\"]}";
      try (Socket socket = RawHttp.to(SERVER).open()) {
        socket
            .getOutputStream()
            .write(
                ("POST /api/v1/sandboxes/%s/exec HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n"
                        + "Accept: text/event-stream\r\nContent-Type: application/json\r\n"
                        + "Content-Length: %d\r\n\r\n%s")
                    .formatted(intruder.id(), SERVER.key(), body.length(), body)
                    .getBytes(StandardCharsets.US_ASCII));
        Awaitility.await().atMost(PATIENCE).until(() -> asleep("head") == 1);
        assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
      }
      Awaitility.await("the command to end with its client")
          .atMost(PATIENCE)
          .until(() -> running("head") == 0);
    });
  }

  @Test
  void collected_output_is_cut_and_the_rest_is_dropped() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    bystander.unharmedBy(() -> {
      // 2 GB where the others have 10: here every byte passes through the server.
      ExecResult result =
          intruder.box().exec(Command.shell("head -c 2147483648 /dev/zero").timeout(PATIENCE));
      assertThat(result.exitCode()).isZero();
      assertThat(result.truncated()).isTrue();
      assertThat(result.stdoutBytes()).hasSize(8 * 1024 * 1024);
    });
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
  }

  @Test
  void a_detached_flood_keeps_its_last_mebibyte_and_no_more() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    ProcessInfo flood =
        intruder.box().spawn(Command.shell("head -c 500000000 /dev/zero; echo the end"));
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> intruder.box().requireProcess(flood.processId()).exit().isPresent());

    try (RunningCommand late = intruder.box().attach(flood.processId())) {
      byte[] kept = late.stdout().readAllBytes();
      assertThat(kept.length).isBetween(900_000, 1_100_000);
      assertThat(new String(kept, kept.length - 8, 8, StandardCharsets.US_ASCII))
          .isEqualTo("the end\n");
    }
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
  }

  @Test
  void a_terminal_flood_with_a_storm_of_sizes_arrives_whole() throws Exception {
    String flood =
        "stty raw -echo; python3 -c 'import sys,hashlib\n"
            + "b = bytes(range(256)) * 4096\n"
            + "h = hashlib.sha256()\n"
            + "for _ in range(20):\n"
            + "    sys.stdout.buffer.write(b); h.update(b)\n"
            + "sys.stdout.flush()\n"
            + "sys.stdout.buffer.write(h.hexdigest().encode())'";
    try (RunningCommand command =
        intruder.box().start(Command.shell(flood).terminal(24, 80).timeout(PATIENCE))) {
      Thread storm =
          Thread.ofVirtual()
              .start(() -> {
                for (int i = 0; i < 2_000; i++) {
                  command.resize(1 + i % 200, 1 + i % 300);
                }
              });
      byte[] all = command.stdout().readAllBytes();
      storm.join();
      assertThat(command.waitFor().exitCode()).isZero();
      assertThat(all).hasSize(20 * 256 * 4096 + 64);
      var sha = MessageDigest.getInstance("SHA-256");
      sha.update(all, 0, all.length - 64);
      assertThat(new String(all, all.length - 64, 64, StandardCharsets.US_ASCII))
          .isEqualTo(HexFormat.of().formatHex(sha.digest()));
    }
  }

  @Test
  void a_paste_without_end_of_line_does_not_stop_the_terminal() throws Exception {
    try (RunningCommand command =
        intruder
            .box()
            .start(
                Command.shell("stty raw -echo; echo ready; head -c 10000000 | sha256sum")
                    .terminal(24, 80)
                    .timeout(PATIENCE))) {
      assertThat(command.stdout().readNBytes(6)).startsWith('r', 'e', 'a', 'd', 'y');
      byte[] paste = new byte[10_000_000];
      Arrays.fill(paste, (byte) 'x');
      bystander.unharmedBy(() -> command.stdin().write(paste));
      assertThat(new String(command.stdout().readAllBytes(), StandardCharsets.US_ASCII))
          .contains(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(paste)));
    }
  }

  @Test
  void many_open_commands_and_sockets_give_back_what_they_held() throws Exception {
    long before = HostView.openFiles(SERVER.pid());
    var commands = new ArrayList<RunningCommand>();
    try {
      for (int i = 0; i < 200; i++) {
        commands.add(intruder.box().start(Command.of("sleep", "300")));
      }
      assertThat(HostView.openFiles(SERVER.pid())).isGreaterThan(before + 150);
      intruder.assertUsable();
    } finally {
      commands.forEach(RunningCommand::close);
    }
    Awaitility.await().atMost(PATIENCE).until(() -> running("sleep") == 0);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> HostView.openFiles(SERVER.pid()) <= before + 16);
  }

  private long running(String name) throws IOException {
    return named(name).size();
  }

  private long asleep(String name) throws IOException {
    return named(name).stream().filter(process -> process.field("State").startsWith("S")).count();
  }

  private List<HostProcess> named(String name) throws IOException {
    return HostView.processesOf(intruder.id()).stream()
        .filter(process -> process.field("Name").equals(name))
        .toList();
  }

  @Test
  void input_that_nobody_reads_waits_with_whoever_sends_it() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    RunningCommand deaf =
        intruder.box().start(Command.of("sleep", "60").openStdin().timeout(PATIENCE));
    Thread sender = Thread.ofVirtual().unstarted(() -> sendGigabyte(deaf));
    try (deaf) {
      sender.start();
      bystander.unharmedBy(() -> {
        for (int i = 0; i < 20; i++) {
          intruder.assertUsable();
        }
      });
      assertThat(sender.isAlive()).as("the sender is held back").isTrue();
      assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
    }
    assertThat(sender.join(PATIENCE)).isTrue();
  }

  private static void sendGigabyte(RunningCommand command) {
    byte[] block = new byte[1 << 20];
    try {
      for (int i = 0; i < 1_000; i++) {
        command.stdin().write(block);
      }
    } catch (IOException e) {
      // The command was closed meanwhile, which is how this ends.
    }
  }
}
