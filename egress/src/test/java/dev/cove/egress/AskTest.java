package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cove.model.network.Answer;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.Question;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where no rule speaks, the owner is asked, and the connection waits. */
class AskTest {
  private static final NetworkPolicy ASK =
      Inside.policy(Fallback.ASK, List.of(), List.of("no.test"));

  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws Exception {
    server =
        new WorldServer(
            "127.77.0.1",
            (socket, seen) -> {
              Talk.say(socket, "welcome");
              socket.shutdownOutput();
              seen.writeBytes(socket.getInputStream().readAllBytes());
            });
    inside = inside(Limits.usual());
  }

  private Inside inside(Limits limits) throws Exception {
    Inside made =
        new Inside(folder, ASK, NetworkPolicy.EVERYTHING, limits.limits(), Limits.NO_HTTP);
    made.world.put("a.test", "127.77.0.1");
    return made;
  }

  @AfterEach
  void close() throws Exception {
    inside.close();
    server.close();
  }

  @Test
  void a_yes_for_once_lets_those_go_on_who_wait_and_no_others() throws Exception {
    CompletableFuture<String> first = connect();
    CompletableFuture<String> second = connect();
    await().until(() -> inside.network.asked().stream().anyMatch(q -> q.waiting() == 2));
    assertThat(inside.world.asked()).as("nobody outside hears of it before").isEmpty();
    Question question = question();
    assertThat(question.destination()).hasToString("a.test:" + server.port());
    assertThat(inside.network.answer(question.id(), Answer.ONCE)).isTrue();
    assertThat(heard(first)).isEqualTo("welcome");
    assertThat(heard(second)).isEqualTo("welcome");
    assertThat(inside.network.answer(question.id(), Answer.ONCE)).isFalse();

    CompletableFuture<String> third = connect();
    assertThat(question().id()).isNotEqualTo(question.id());
    inside.network.answer(question().id(), Answer.NO);
    assertThat(heard(third)).isEqualTo(Talk.RESET);
  }

  @Test
  void a_yes_for_the_session_holds_and_one_for_good_is_reported() throws Exception {
    CompletableFuture<String> first = connect();
    inside.network.answer(question().id(), Answer.SESSION);
    assertThat(heard(first)).isEqualTo("welcome");
    assertThat(heard(connect())).isEqualTo("welcome");
    assertThat(inside.kept).isEmpty();

    CompletableFuture<String> other = connect(server.port() + 1);
    inside.network.answer(question().id(), Answer.ALWAYS);
    assertThat(inside.kept).containsExactly(NetworkRule.of("a.test:" + (server.port() + 1)));
    heard(other);
  }

  @Test
  void a_no_holds_for_the_session() throws Exception {
    CompletableFuture<String> first = connect();
    inside.network.answer(question().id(), Answer.NO);
    assertThat(heard(first)).isEqualTo(Talk.RESET);
    assertThat(heard(connect())).isEqualTo(Talk.RESET);
    assertThat(inside.network.asked()).isEmpty();
    assertThat(server.connections()).isZero();
  }

  @Test
  void a_rule_that_comes_meanwhile_is_an_answer() throws Exception {
    CompletableFuture<String> waiting = connect();
    question();
    inside.network.change(ASK.alsoAllowing(NetworkRule.of("a.test")));
    assertThat(heard(waiting)).isEqualTo("welcome");
    inside.network.change(ASK);
    CompletableFuture<String> again = connect();
    question();
    inside.network.change(NetworkPolicy.NOTHING);
    assertThat(heard(again)).isEqualTo(Talk.RESET);
  }

  @Test
  void a_denial_is_not_asked_about() throws Exception {
    assertThat(Talk.answer(inside.connect("no.test", 80), "x\n")).isEqualTo(Talk.RESET);
    assertThat(inside.network.asked()).isEmpty();
  }

  @Test
  void where_nobody_can_be_asked_the_answer_is_no_at_once() throws Exception {
    CompletableFuture<String> waiting = connect();
    question();
    inside.network.attend(false);
    assertThat(heard(waiting)).isEqualTo(Talk.RESET);
    assertThat(Talk.answer(inside.connect("a.test", 80), "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"))
        .startsWith("HTTP/1.1 403")
        .contains("X-Cove-Denied: ask unattended");
  }

  @Test
  void nobody_waits_for_ever_and_not_everybody_waits() throws Exception {
    inside.close();
    inside = inside(Limits.usual().waiting(3).answer(Duration.ofSeconds(1)));
    List<CompletableFuture<String>> waiting = List.of(connect(), connect(), connect());
    await().until(() -> inside.network.asked().stream().anyMatch(q -> q.waiting() == 3));
    assertThat(heard(connect())).isEqualTo(Talk.RESET);
    assertThat(inside.network.log().getLast().verdict().rule()).isEqualTo("ask limit");
    for (CompletableFuture<String> one : waiting) {
      assertThat(heard(one)).isEqualTo(Talk.RESET);
    }
    assertThat(inside.network.log().getLast().verdict().rule()).isEqualTo("ask unanswered");
    assertThat(inside.network.asked()).isEmpty();
  }

  private Question question() {
    await().until(() -> !inside.network.asked().isEmpty());
    return inside.network.asked().getFirst();
  }

  private CompletableFuture<String> connect() {
    return connect(server.port());
  }

  private CompletableFuture<String> connect(int port) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Socket socket = inside.connect("a.test", port)) {
            return Talk.hearAll(socket);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> Thread.ofVirtual().start(task));
  }

  private static String heard(CompletableFuture<String> connection) throws Exception {
    return connection.get(10, TimeUnit.SECONDS);
  }
}
