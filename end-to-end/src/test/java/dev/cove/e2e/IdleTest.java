package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.LifeChange;
import dev.cove.sdk.PortConnection;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.TemplateBuild;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sandboxes that go to rest by themselves, what keeps them from it, and what wakes them. */
class IdleTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(Map.of("COVE_IDLE_AFTER", "2s", "COVE_PAUSED_FOR", "off"));

  private static SandboxInfo awaitState(Sandbox box, String state, String reason) {
    return Awaitility.await(box.id() + " to be " + state)
        .atMost(PATIENCE)
        .until(
            box::fetchInfo,
            info -> info.state().equals(state) && info.reason().equals(Optional.of(reason)));
  }

  private static void awaitIdle(Sandbox box) {
    awaitState(box, "paused", "idle");
  }

  private static Sandbox kept(String name) {
    return server.create(
        CreateOptions.defaults().name(name).life(LifeChange.none().keepAlive(true)));
  }

  private static List<Event> eventsOf(Sandbox box, String type) {
    return server
        .cove()
        .events()
        .list(EventQuery.all().sandbox(box.id()).types(type), 1_000)
        .items();
  }

  @Test
  void who_sleeps_in_the_background_does_not_keep_a_sandbox_awake_and_who_computes_does() {
    try (Sandbox asleep = server.create();
        Sandbox busy = server.create();
        Sandbox kept = kept("kept")) {
      long sleeper = asleep.spawn(Command.of("sleep", "600")).processId();
      busy.spawn(Command.of("sh", "-c", "while :; do :; done"));
      awaitIdle(asleep);
      Event paused = eventsOf(asleep, "sandbox.paused").getLast();
      assertThat(paused.data()).contains("\"reason\":\"idle\"");
      assertThat(busy.fetchInfo().state()).isEqualTo("running");
      assertThat(kept.fetchInfo().state()).isEqualTo("running");
      assertThat(asleep.requireProcess(sleeper).exit()).isEmpty();
      assertThat(asleep.fetchInfo().state()).isEqualTo("running");
      awaitIdle(asleep);
      assertThat(busy.fetchInfo().state()).isEqualTo("running");
      assertThat(eventsOf(busy, "sandbox.paused")).isEmpty();
      assertThat(eventsOf(kept, "sandbox.paused")).isEmpty();
    }
  }

  @Test
  void a_command_with_somebody_attached_keeps_it_awake_and_one_that_is_left_does_not()
      throws Exception {
    try (Sandbox box = server.create();
        Sandbox witness = server.create()) {
      RunningCommand command = box.start(Command.of("sleep", "600"));
      awaitIdle(witness);
      witness.exec("true");
      awaitIdle(witness);
      assertThat(box.fetchInfo().state()).isEqualTo("running");
      assertThat(eventsOf(box, "sandbox.paused")).isEmpty();
      command.close();
      awaitIdle(box);
    }
  }

  @Test
  void bytes_over_a_port_keep_it_awake_and_a_connection_over_which_none_pass_does_not()
      throws Exception {
    try (Sandbox box = server.create()) {
      InnerPython.serveWeb(box, 3000);
      URI link = box.linkPort(3000, Duration.ofHours(1)).pathUrl();
      try (InputStream events = link.resolve("events" + query(link)).toURL().openStream()) {
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (System.nanoTime() < end) {
          assertThat(events.read()).isPositive();
          assertThat(box.fetchInfo().state()).isEqualTo("running");
        }
      }
      try (PortConnection silent = box.connect(3000)) {
        awaitIdle(box);
        silent.output().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        String reply = new String(silent.input().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(reply).startsWith("HTTP/1.1 200");
      }
      assertThat(box.fetchInfo().state()).isEqualTo("running");
    }
  }

  private static String query(URI link) {
    return link.getRawQuery() == null ? "" : "?" + link.getRawQuery();
  }

  @Test
  void one_of_its_group_wakes_it() {
    var life = LifeChange.none().keepAlive(true);
    try (Sandbox db = server.create(CreateOptions.defaults().name("db").group("shop"));
        Sandbox web = server.create(CreateOptions.defaults().group("shop").life(life))) {
      db.files().write("/home/user/index.html", "inside");
      db.spawn(Command.of("python3", "-m", "http.server", "5432", "--bind", "127.0.0.1"));
      InnerPython.awaitListening(db, 5432);
      awaitIdle(db);
      assertThat(web.exec("curl", "-sS", "-m", "20", "http://db:5432/").stdout())
          .isEqualTo("inside");
      assertThat(db.fetchInfo().state()).isEqualTo("running");
    }
  }

  @Test
  void what_is_said_of_a_sandbox_counts_then_its_template_then_the_server() {
    var hour = LifeChange.none().idle(Duration.ofHours(1));
    server.cove().templates().build(TemplateBuild.from("host").name("patient").life(hour));
    try (Sandbox box = server.create(CreateOptions.defaults().template("patient"));
        Sandbox early =
            server.create(
                CreateOptions.defaults()
                    .template("patient")
                    .life(LifeChange.none().idle(Duration.ofSeconds(1))));
        Sandbox usual = server.create()) {
      assertThat(box.info().life().idle()).contains(Duration.ofHours(1));
      assertThat(early.info().life().idle()).contains(Duration.ofSeconds(1));
      assertThat(usual.info().life().idle()).contains(Duration.ofSeconds(2));
      awaitIdle(early);
      awaitIdle(usual);
      assertThat(box.fetchInfo().state()).isEqualTo("running");
      box.changeLife(LifeChange.none().idle(Duration.ofSeconds(1)));
      awaitIdle(box);
      assertThat(box.changeLife(LifeChange.none().usualIdle()).life().idle())
          .contains(Duration.ofHours(1));
      assertRefused(
          400,
          "invalid_request",
          () -> box.changeLife(LifeChange.none().idle(Duration.ofSeconds(-1))));
      assertRefused(
          400, "invalid_request", () -> box.changeLife(LifeChange.none().onEnd("explode")));
    } finally {
      server.cove().templates().remove("patient");
    }
  }

  @Test
  void what_is_paused_for_long_is_stopped_and_a_life_that_is_over_ends() {
    var brief = LifeChange.none().idle(Duration.ofSeconds(1)).pausedFor(Duration.ofSeconds(1));
    var second = LifeChange.none().keepAlive(true).maxLife(Duration.ofSeconds(2));
    try (Sandbox rests = server.create(CreateOptions.defaults().life(brief));
        Sandbox ends = server.create(CreateOptions.defaults().life(second));
        Sandbox stays = server.create(CreateOptions.defaults().life(second))) {
      Sandbox goes = server.create(CreateOptions.defaults().life(second.onEnd("delete"))).detach();
      rests.files().write("/home/user/file", "kept");
      stays.changeLife(LifeChange.none().maxLife(Duration.ofHours(1)));
      awaitState(rests, "stopped", "idle");
      awaitState(ends, "stopped", "max_life");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> server.cove().sandboxes().find(goes.id()).isEmpty());
      assertThat(stays.fetchInfo().state()).isEqualTo("running");
      assertThat(rests.files().readString("/home/user/file")).isEqualTo("kept");
      assertRefused(409, "conflict", () -> ends.exec("true"));
      assertThat(ends.start().state()).isEqualTo("running");
      awaitState(ends, "stopped", "max_life");
    }
  }

  @Test
  void whoever_comes_just_when_it_is_paused_is_served() throws Exception {
    var second = CreateOptions.defaults().life(LifeChange.none().idle(Duration.ofSeconds(1)));
    List<Integer> pauses =
        AtOnce.times(
            16,
            i -> {
              try (Sandbox box = server.create(second)) {
                for (int round = 0; round < 4; round++) {
                  // Around the moment at which a second of idleness has been noticed.
                  Duration wait = Duration.ofMillis(900 + 60L * i + 7L * round);
                  Awaitility.await().pollDelay(wait).until(() -> true);
                  assertThat(box.exec("echo", "there").stdout()).isEqualTo("there\n");
                }
                return eventsOf(box, "sandbox.paused").size();
              }
            });
    assertThat(pauses.stream().mapToInt(Integer::intValue).sum()).isPositive();
  }

  @Test
  void idle_rules_leave_alone_what_a_server_that_ends_lets_run() throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("drained")).detach();
    box.spawn(Command.of("sleep", "600"));
    server.stop();
    server.start();
    Sandbox same = server.cove().sandboxes().require("drained");
    assertThat(eventsOf(same, "sandbox.paused")).isEmpty();
    awaitIdle(same);
    server.kill();
    server.start();
    same = server.cove().sandboxes().require("drained");
    assertThat(same.info().reason()).contains("idle");
    same.delete();
  }
}
