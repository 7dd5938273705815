package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.BudgetLimits;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.LogLine;
import dev.cove.sdk.LogQuery;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Service;
import dev.cove.sdk.ServiceStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Services run in order, come back by their rules, and are never started twice. */
class ServicesTest {
  static final Set<FailPoint> POINTS =
      EnumSet.of(FailPoint.SERVICE_ANNOUNCED, FailPoint.SERVICE_STARTED);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(Map.of("COVE_POOL_SIZE", "0", "COVE_SERVICE_BACKOFF_MS", "10"));

  private static Sandbox with(Service... services) {
    CreateOptions options = CreateOptions.defaults();
    for (Service service : services) {
      options = options.service(service);
    }
    return server.create(options);
  }

  private static Service shell(String name, String script) {
    return Service.of(name, "sh", "-c", script);
  }

  private static Service sleeper(String name) {
    return shell(name, "echo " + name + " >> /home/user/starts; exec sleep 1000");
  }

  private static ServiceStatus status(Sandbox box, String name) {
    return box.services().list().stream()
        .filter(status -> status.service().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void awaitState(Sandbox box, String name, String state) {
    Awaitility.await(name + " " + state)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> status(box, name).state().equals(state));
  }

  private static List<String> starts(Sandbox box) {
    return box.exec("cat", "/home/user/starts").stdout().lines().toList();
  }

  @Test
  void services_start_in_order_each_when_the_one_before_is_ready() {
    try (Sandbox box =
        with(
            shell("db", "sleep 0.3; touch /home/user/up; exec sleep 1000")
                .readyWhen(PATIENCE, "test", "-e", "/home/user/up"),
            shell("app", "ls /home/user/up; exec sleep 1000"))) {
      awaitState(box, "app", "running");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() ->
              box.logs().list(LogQuery.all().service("app").stream("stdout"), 10).items().stream()
                  .map(LogLine::text)
                  .toList()
                  .equals(List.of("/home/user/up")));
      assertThat(box.services().list())
          .extracting(status -> status.service().name())
          .containsExactly("db", "app");
    }
  }

  @Test
  void a_port_that_is_listened_on_makes_a_service_ready() {
    try (Sandbox box =
        with(
            shell("web", "sleep 0.2; exec python3 -m http.server 8000")
                .readyOnPort(8000, PATIENCE))) {
      try (var connection = box.connect(8000)) {
        assertThat(connection).isNotNull();
      }
    }
  }

  @Test
  void a_create_whose_service_does_not_come_up_fails_and_leaves_nothing() {
    int before = server.cove().sandboxes().list().size();
    assertThatThrownBy(() -> with(shell("db", "exit 3").readyOnPort(9, Duration.ofSeconds(5))))
        .isInstanceOfSatisfying(
            CoveApiException.class,
            e -> {
              assertThat(e.status()).isEqualTo(422);
              assertThat(e.getMessage()).contains("db", "ended before it was ready");
            });
    assertThatThrownBy(() -> with(Service.of("none", "/no/such/program")))
        .isInstanceOf(CoveApiException.class);
    assertThatThrownBy(
            () -> with(shell("slow", "exec sleep 1000").readyOnPort(9, Duration.ofMillis(200))))
        .isInstanceOf(CoveApiException.class)
        .hasMessageContaining("not ready after 200 ms");
    assertThat(server.cove().sandboxes().list()).hasSize(before);
  }

  @Test
  void a_service_that_dies_comes_back_by_its_rule_and_no_other() {
    try (Sandbox box =
        with(
            sleeper("always").restart(Service.Restart.ALWAYS),
            sleeper("never"),
            shell("once", "exit 0").restart(Service.Restart.ON_FAILURE))) {
      awaitState(box, "once", "exited");
      assertThat(status(box, "once").exitCode()).contains(0L);
      Awaitility.await().atMost(PATIENCE).until(() -> starts(box).size() == 2);
      long pid = status(box, "always").pid().orElseThrow();
      box.exec("sh", "-c", "kill -9 " + pid + " " + status(box, "never").pid().orElseThrow());
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() ->
              status(box, "always").pid().isPresent() && status(box, "always").pid().get() != pid);
      assertThat(status(box, "always").restarts()).isEqualTo(1);
      awaitState(box, "never", "exited");
      assertThat(status(box, "never").exitCode()).contains(137L);
    }
  }

  @Test
  void a_service_that_fails_again_and_again_is_given_up() {
    try (Sandbox box =
        with(shell("bad", "echo x >> /home/user/starts; exit 4").restart(Service.Restart.ALWAYS))) {
      awaitState(box, "bad", "failed");
      assertThat(status(box, "bad").exitCode()).contains(4L);
      assertThat(status(box, "bad").restarts()).isEqualTo(10);
      assertThat(starts(box)).hasSize(11);
    }
  }

  @Test
  void services_come_back_with_the_sandbox_but_for_those_that_were_stopped() {
    try (Sandbox box = with(sleeper("one"), sleeper("two"), sleeper("three"))) {
      Awaitility.await().atMost(PATIENCE).until(() -> starts(box).size() == 3);
      assertThat(box.services().stop("two").state()).isEqualTo("stopped");
      box.stop();
      assertThat(box.services().list()).extracting(ServiceStatus::state).containsOnly("stopped");
      box.start();
      Awaitility.await().atMost(PATIENCE).until(() -> starts(box).size() == 5);
      assertThat(box.services().list())
          .extracting(ServiceStatus::state)
          .containsExactly("running", "stopped", "running");
      assertThat(box.services().start("two").state()).isEqualTo("running");
      Awaitility.await().atMost(PATIENCE).until(() -> starts(box).size() == 6);
    }
  }

  @Test
  void a_stopped_service_ends_with_its_children_and_a_restarted_one_is_new() {
    try (Sandbox box = with(shell("tree", "sleep 2000 & exec sleep 1000"))) {
      long pid = status(box, "tree").pid().orElseThrow();
      ServiceStatus again = box.services().restart("tree");
      assertThat(again.pid().orElseThrow()).isNotEqualTo(pid);
      box.services().stop("tree");
      assertThat(box.exec("pgrep", "-x", "sleep").stdout()).isEmpty();
    }
  }

  @Test
  void a_new_list_leaves_alone_what_stays_as_it_was() {
    try (Sandbox box = with(sleeper("kept"), sleeper("gone"))) {
      long pid = status(box, "kept").pid().orElseThrow();
      List<ServiceStatus> now =
          box.services().replace(List.of(sleeper("new"), status(box, "kept").service()));
      assertThat(now).extracting(status -> status.service().name()).containsExactly("new", "kept");
      assertThat(status(box, "kept").pid()).contains(pid);
      Awaitility.await().atMost(PATIENCE).until(() -> starts(box).contains("new"));
      assertThat(box.processes()).filteredOn(process -> process.exit().isEmpty()).hasSize(2);
    }
  }

  @Test
  void the_list_of_a_stopped_sandbox_holds_from_its_next_start_on() {
    try (Sandbox box = server.create()) {
      box.stop();
      box.services().replace(List.of(sleeper("later")));
      assertThatThrownBy(() -> box.services().start("later"))
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.status()).isEqualTo(409));
      box.start();
      awaitState(box, "later", "running");
    }
  }

  @Test
  void services_go_on_over_a_crash_of_the_server_and_are_not_started_twice() throws Exception {
    Sandbox made = with(sleeper("one"), sleeper("two").restart(Service.Restart.ALWAYS));
    String id = made.detach().id();
    Awaitility.await().atMost(PATIENCE).until(() -> starts(made).size() == 2);
    long pid = status(made, "one").pid().orElseThrow();
    server.kill();
    server.start();
    Sandbox box = server.cove().sandboxes().require(id);
    awaitState(box, "one", "running");
    awaitState(box, "two", "running");
    assertThat(status(box, "one").pid()).contains(pid);
    assertThat(starts(box)).hasSize(2);
    // Its rule still holds.
    box.exec("kill", "-9", status(box, "two").pid().orElseThrow().toString());
    Awaitility.await().atMost(PATIENCE).until(() -> starts(box).size() == 3);
    box.pause();
    server.kill();
    server.start();
    Sandbox paused = server.cove().sandboxes().require(id);
    assertThat(status(paused, "one").state()).isEqualTo("running");
    assertThat(paused.fetchInfo().state()).isEqualTo("paused");
    paused.resume();
    Awaitility.await().atMost(PATIENCE).until(() -> status(paused, "one").pid().isPresent());
    assertThat(starts(paused)).hasSize(3);
    paused.delete();
  }

  @ParameterizedTest
  @FieldSource("POINTS")
  void a_service_whose_start_was_cut_short_runs_once(FailPoint point) throws Exception {
    String id = server.create().detach().id();
    server.stop();
    server.startArmed(point.name());
    Sandbox armed = server.cove().sandboxes().require(id);
    assertThatThrownBy(() -> armed.services().replace(List.of(sleeper("one"))))
        .isInstanceOf(CoveException.class);
    assertThat(server.awaitEnd(PATIENCE)).isPresent();
    server.start();
    Sandbox box = server.cove().sandboxes().require(id);
    awaitState(box, "one", "running");
    Awaitility.await().atMost(PATIENCE).until(() -> starts(box).size() == 1);
    assertThat(box.processes()).filteredOn(process -> process.exit().isEmpty()).hasSize(1);
    box.delete();
  }

  @Test
  void a_fork_has_neither_the_services_nor_the_budget_of_its_parent() {
    try (Sandbox box =
        server.create(CreateOptions.defaults().start("sleep", "1000").label("kept", "yes"))) {
      server.cove().budgets().setForSandbox(box.id(), BudgetLimits.each("day").cpuSeconds(1_000));
      assertThat(box.services().list()).hasSize(1);
      try (Sandbox child = box.fork()) {
        assertThat(child.info().labels()).containsEntry("kept", "yes");
        assertThat(child.services().list()).isEmpty();
        assertThat(server.cove().budgets().ofSandbox(child.id())).isEmpty();
      }
    }
  }

  @Test
  void services_come_back_after_a_restore() {
    try (Sandbox box = with(sleeper("one"))) {
      String checkpoint = box.checkpoint().id();
      box.restore(checkpoint);
      awaitState(box, "one", "running");
      assertThat(box.exec("pgrep", "-c", "sleep").stdout().strip()).isEqualTo("1");
    }
  }

  @Test
  void nobody_takes_the_output_of_a_service_away_from_its_log() {
    try (Sandbox box = with(sleeper("one"))) {
      long process = box.processes().getFirst().processId();
      assertThatThrownBy(() -> box.attach(process))
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.status()).isEqualTo(409));
    }
  }

  @Test
  void bad_lists_are_refused_and_change_nothing() {
    try (Sandbox box = with(sleeper("one"))) {
      var many = new ArrayList<Service>();
      IntStream.range(0, 17).forEach(i -> many.add(sleeper("s" + i)));
      for (List<Service> bad :
          List.of(
              List.copyOf(many),
              List.of(sleeper("same"), sleeper("same")),
              List.of(sleeper("Upper")),
              List.of(Service.of("empty")),
              List.of(sleeper("one").user("a b")))) {
        assertThatThrownBy(() -> box.services().replace(bad))
            .isInstanceOfSatisfying(
                CoveApiException.class, e -> assertThat(e.status()).isEqualTo(400));
      }
      assertThat(box.services().list())
          .extracting(status -> status.service().name())
          .containsExactly("one");
      assertThatThrownBy(() -> box.services().restart("two"))
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.status()).isEqualTo(404));
    }
  }

  @Test
  void the_command_line_adds_shows_and_removes_services() throws Exception {
    try (Sandbox box = server.create()) {
      Cli cli = Cli.of(server);
      cli.run("service", "add", "--restart", "always", box.id(), "web", "sh", "-c", "sleep 1000")
          .succeeded();
      assertThat(cli.run("service", "ls", box.id()).succeeded().stdout())
          .contains("web", "running", "always", "sh -c sleep 1000");
      assertThat(cli.run("service", "restart", box.id(), "web").succeeded().stdout())
          .isEqualTo("web running\n");
      cli.run("service", "stop", box.id(), "web").succeeded();
      assertThat(cli.run("service", "ls", "--json", box.id()).succeeded().stdout())
          .contains("\"state\":\"stopped\"");
      cli.run("service", "rm", box.id(), "web").succeeded();
      assertThat(cli.run("service", "rm", box.id(), "web").exitCode()).isEqualTo(1);
      assertThat(box.services().list()).isEmpty();
    }
  }
}
