package dev.cove.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.transport.ScriptedServer;
import dev.cove.sdk.transport.WebSocketPeer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RunningCommandTest {
  private static final String STARTED = "{\"type\":\"start\",\"processId\":7,\"pid\":42}";
  private static final String EXITED =
      "{\"type\":\"exit\",\"exitCode\":3,\"timedOut\":false,\"oomKilled\":false,\"durationMs\":5}";

  private interface Play {
    void act(ScriptedServer.Peer peer) throws Exception;
  }

  /** Knows one sandbox; what happens on a WebSocket is the test's own. */
  private static ScriptedServer serverThat(Play play) throws IOException {
    return new ScriptedServer(peer -> {
      WebSocketPeer.handshake(peer);
      String first = WebSocketPeer.readFrame(peer.in());
      if (!first.startsWith("text {\"command\":")) {
        throw new IllegalStateException(first);
      }
      peer.send(WebSocketPeer.text(STARTED));
      play.act(peer);
    });
  }

  private static RunningCommand start(Api api, Command command) {
    return RunningCommand.start(api, "/api/v1/sandboxes/x", command);
  }

  private static Api api(ScriptedServer server) {
    return new Api(server.url(), "key", Optional.empty());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static final Play TALKS =
      peer -> {
        peer.send(WebSocketPeer.output(1, bytes("out")));
        peer.send(WebSocketPeer.output(2, bytes("err")));
        peer.send(WebSocketPeer.output(1, bytes("put")));
        peer.send(WebSocketPeer.text(EXITED)).send(WebSocketPeer.close(1000));
        peer.readToEnd();
      };

  @Test
  void output_and_errors_arrive_on_their_own_streams_and_then_the_exit() throws Exception {
    try (var server = serverThat(TALKS);
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      assertThat(command.processId()).isEqualTo(7);
      assertThat(command.pid()).isEqualTo(42);
      assertThat(command.stdout().readAllBytes()).asString().isEqualTo("output");
      assertThat(command.stderr().readAllBytes()).asString().isEqualTo("err");
      assertThat(command.waitFor().exitCode()).isEqualTo(3);
    }
  }

  @Test
  void output_can_be_copied_on_the_calling_thread() throws Exception {
    try (var server = serverThat(TALKS);
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      var out = new ByteArrayOutputStream();
      var err = new ByteArrayOutputStream();
      assertThat(command.copyTo(out, err).exitCode()).isEqualTo(3);
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("output");
      assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("err");
    }
  }

  @Test
  void input_signals_sizes_and_the_end_of_input_reach_the_server_in_order() throws Exception {
    var seen = new CompletableFuture<List<String>>();
    try (var server =
            serverThat(peer -> {
              List<String> frames = new ArrayList<>();
              for (int i = 0; i < 4; i++) {
                frames.add(WebSocketPeer.readFrame(peer.in()));
              }
              seen.complete(frames);
              peer.send(WebSocketPeer.text(EXITED));
              peer.readToEnd();
            });
        var api = api(server);
        var command = start(api, Command.of("x").terminal(24, 80))) {
      command.stdin().write(bytes("typed"));
      command.resize(50, 132);
      command.signal("INT");
      command.stdin().close();
      assertThat(seen.get())
          .containsExactly(
              "binary typed",
              "text {\"type\":\"resize\",\"rows\":50,\"cols\":132}",
              "text {\"type\":\"signal\",\"signal\":\"INT\"}",
              "text {\"type\":\"stdin-end\"}");
      command.waitFor();
    }
  }

  @Test
  void a_signal_that_ended_the_command_becomes_the_exit_code_of_shells() throws Exception {
    try (var server =
            serverThat(peer ->
                peer.send(
                    WebSocketPeer.text(
                        "{\"type\":\"exit\",\"signal\":\"SIGKILL\",\"timedOut\":true,"
                            + "\"oomKilled\":false,\"durationMs\":5}")));
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      ExitStatus exit = command.waitFor();
      assertThat(exit.exitCode()).isEqualTo(137);
      assertThat(exit.signal()).contains("SIGKILL");
      assertThat(exit.timedOut()).isTrue();
    }
  }

  @Test
  void output_that_nobody_reads_holds_the_server_back() throws Exception {
    var sent = new AtomicLong();
    var all = new CompletableFuture<Void>();
    byte[] piece = new byte[64 * 1024];
    try (var server =
            serverThat(peer -> {
              // More than the pipe and both socket buffers hold.
              for (int i = 0; i < 1_000; i++) {
                peer.send(WebSocketPeer.output(1, piece));
                sent.incrementAndGet();
              }
              all.complete(null);
              peer.send(WebSocketPeer.text(EXITED));
              peer.readToEnd();
            });
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      assertThat(command.stdout().read()).isZero();
      assertThatThrownBy(() -> all.get(300, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      assertThat(sent.get()).isLessThan(1_000);
      command.stdout().transferTo(OutputStream.nullOutputStream());
      all.get();
      assertThat(command.waitFor().exitCode()).isEqualTo(3);
    }
  }

  @Test
  void a_refusal_after_the_start_reaches_whoever_waits() throws Exception {
    try (var server =
            serverThat(peer ->
                peer.send(
                    WebSocketPeer.text(
                        "{\"type\":\"error\",\"status\":502,\"code\":\"guest_unreachable\","
                            + "\"detail\":\"The agent is gone.\"}")));
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      assertThatThrownBy(command::waitFor)
          .isInstanceOfSatisfying(
              CoveApiException.class,
              e -> {
                assertThat(e.status()).isEqualTo(502);
                assertThat(e.code()).isEqualTo("guest_unreachable");
              });
    }
  }

  @Test
  void a_server_that_hangs_up_before_the_end_is_noticed_by_readers_and_waiters() throws Exception {
    try (var server = serverThat(peer -> peer.send(WebSocketPeer.output(1, bytes("half"))));
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      assertThatThrownBy(() -> command.stdout().readAllBytes()).isInstanceOf(IOException.class);
      assertThatThrownBy(command::waitFor).isInstanceOf(CoveConnectionException.class);
    }
  }

  @Test
  void waiting_for_a_limited_time_gives_up_but_not_for_good() throws Exception {
    var go = new CompletableFuture<Void>();
    try (var server =
            serverThat(peer -> {
              go.get();
              peer.send(WebSocketPeer.text(EXITED));
            });
        var api = api(server);
        var command = start(api, Command.of("x"))) {
      assertThat(command.waitFor(Duration.ofMillis(20))).isEmpty();
      go.complete(null);
      assertThat(command.waitFor().exitCode()).isEqualTo(3);
    }
  }

  @Test
  void closing_wakes_a_reader() throws Exception {
    try (var server = serverThat(ScriptedServer.Peer::readToEnd);
        var api = api(server)) {
      RunningCommand command = start(api, Command.of("x"));
      var reader =
          CompletableFuture.supplyAsync(() -> {
            try {
              return command.stdout().read();
            } catch (IOException e) {
              return -2;
            }
          });
      command.close();
      assertThat(reader.get()).isNegative();
    }
  }

  @Test
  void a_start_that_is_refused_is_an_api_exception() throws Exception {
    try (var server =
            new ScriptedServer(peer -> {
              WebSocketPeer.handshake(peer);
              WebSocketPeer.readFrame(peer.in());
              peer.send(
                  WebSocketPeer.text(
                      "{\"type\":\"error\",\"status\":422,\"code\":\"guest_refused\","
                          + "\"detail\":\"The program x was not found in PATH.\"}"));
            });
        var api = api(server)) {
      assertThatThrownBy(() -> start(api, Command.of("x")))
          .isInstanceOf(CoveApiException.class)
          .hasMessageContaining("not found");
    }
  }
}
