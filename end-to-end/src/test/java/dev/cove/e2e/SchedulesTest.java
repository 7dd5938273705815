package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.LogLine;
import dev.cove.sdk.LogQuery;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Service;
import dev.cove.sdk.ServiceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Services that are started at times, for which sandboxes are woken. What they do is read in logs,
 * which wakes nobody.
 */
class SchedulesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  static final List<FailPoint> POINTS =
      List.of(FailPoint.SERVICE_ANNOUNCED, FailPoint.SERVICE_STARTED);

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "1"));

  private static Service job(String schedule, String script) {
    return Service.of("job", "sh", "-c", script).schedule(schedule);
  }

  private static Sandbox with(Service job) {
    Sandbox box = server.create();
    box.services().replace(List.of(job));
    return box;
  }

  private static long said(Sandbox box, String text) {
    return box.logs().list(LogQuery.all(), 1_000).items().stream()
        .map(LogLine::text)
        .filter(line -> line.contains(text))
        .count();
  }

  private static void awaitMore(Sandbox box, String text, long than) {
    Awaitility.await(text).atMost(PATIENCE).until(() -> said(box, text) > than);
  }

  private static ServiceStatus status(Sandbox box) {
    return box.services().list().getFirst();
  }

  @Test
  void a_paused_sandbox_is_woken_each_time() {
    try (Sandbox box = with(job("every 2s", "echo now"))) {
      ServiceStatus first = status(box);
      assertThat(first.state()).isIn("scheduled", "running", "exited");
      assertThat(first.nextAt().orElseThrow()).isBefore(Instant.now().plusSeconds(10));
      for (int i = 0; i < 2; i++) {
        long before = said(box, "now");
        box.pause();
        awaitMore(box, "now", before);
      }
      assertThat(
              server
                  .cove()
                  .events()
                  .list(EventQuery.all().sandbox(box.id()).types("sandbox.resumed"), 100)
                  .items())
          .hasSizeGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void what_still_runs_is_not_started_a_second_time() {
    try (Sandbox box = with(job("every 1s", "echo begin; sleep 1000"))) {
      awaitMore(box, "begin", 0);
      Instant due = status(box).nextAt().orElseThrow();
      Awaitility.await("its next time to pass")
          .atMost(PATIENCE)
          .until(() -> status(box).nextAt().orElseThrow().isAfter(due.plusSeconds(1)));
      assertThat(said(box, "begin")).isEqualTo(1);
      assertThat(box.exec("pgrep", "-c", "sleep").stdout()).isEqualTo("1\n");
    }
  }

  @Test
  void what_its_owner_has_stopped_stays_so() {
    try (Sandbox box = with(job("every 1s", "echo now"))) {
      awaitMore(box, "now", 0);
      box.services().stop("job");
      long runs = said(box, "started with pid");
      assertThat(status(box).state()).isEqualTo("stopped");
      assertThat(status(box).nextAt()).isEmpty();
      box.services().start("job");
      awaitMore(box, "started with pid", runs + 1);

      box.stop(Duration.ofSeconds(2), false);
      awaitMore(box, "was due and is not started", 0);
      assertThat(box.fetchInfo().state()).isEqualTo("stopped");
      long before = said(box, "now");
      box.start();
      awaitMore(box, "now", before);
    }
  }

  @Test
  void a_sandbox_that_ended_by_itself_is_started_for_it_and_so_are_its_other_services() {
    try (Sandbox box = server.create()) {
      Service web = Service.of("web", "sh", "-c", "echo up; sleep 1000");
      box.services().replace(List.of(web, job("every 3s", "echo now")));
      awaitMore(box, "now", 0);
      long up = said(box, "up");
      for (long agent : HostProcesses.agentsOf(box.id())) {
        ProcessHandle.of(agent).ifPresent(ProcessHandle::destroyForcibly);
      }
      awaitMore(box, "up", up);
      long before = said(box, "now");
      awaitMore(box, "now", before);
    }
  }

  @Test
  void schedules_outlive_the_server_and_what_was_missed_is_made_up() throws Exception {
    Sandbox box = with(job("every 4s", "echo now")).detach();
    awaitMore(box, "now", 0);
    server.kill();
    Instant down = Instant.now();
    Awaitility.await("a time to pass")
        .atMost(PATIENCE)
        .until(() -> Instant.now().isAfter(down.plusSeconds(5)));
    server.start();
    Instant up = Instant.now();
    Sandbox again = server.cove().sandboxes().require(box.id());
    List<Instant> starts =
        Awaitility.await("two runs")
            .atMost(PATIENCE)
            .until(() -> startsAfter(down, again), times -> times.size() > 1);
    assertThat(starts.getFirst()).as("made up at once").isBefore(up.plusSeconds(3));
    again.delete();
  }

  private static List<Instant> startsAfter(Instant moment, Sandbox box) {
    return box.logs().list(LogQuery.all(), 1_000).items().stream()
        .filter(line -> line.text().contains("started with pid"))
        .map(LogLine::time)
        .filter(time -> time.isAfter(moment))
        .toList();
  }

  @ParameterizedTest
  @FieldSource("POINTS")
  void a_run_that_was_cut_short_by_the_end_of_the_server_is_made_once(FailPoint point)
      throws Exception {
    String id = server.create().detach().id();
    server.stop();
    server.startArmed(point.name());
    Sandbox armed = server.cove().sandboxes().require(id);
    armed.services().replace(List.of(job("every 2s", "echo begin; sleep 1000")));
    assertThat(server.awaitEnd(PATIENCE)).isPresent();
    server.start();
    Sandbox box = server.cove().sandboxes().require(id);
    awaitMore(box, "begin", 0);
    Instant due = status(box).nextAt().orElseThrow();
    Awaitility.await("its next time to pass")
        .atMost(PATIENCE)
        .until(() -> status(box).nextAt().orElseThrow().isAfter(due));
    assertThat(said(box, "begin")).isEqualTo(1);
    assertThat(box.exec("pgrep", "-c", "sleep").stdout()).isEqualTo("1\n");
    box.delete();
  }

  @Test
  void what_makes_no_sense_is_refused_by_name_and_changes_nothing() {
    try (Sandbox box = with(job("every 1h", "true"))) {
      for (Service bad :
          List.of(
              job("sometimes", "true"),
              job("0 0 30 2 *", "true"),
              job("every 1h", "true").restart(Service.Restart.ALWAYS),
              job("every 1h", "true").readyOnPort(80, Duration.ofSeconds(1)))) {
        assertRefused(400, "invalid_request", () -> box.services().replace(List.of(bad)));
      }
      assertThat(status(box).service().times()).contains("every 1h");
    }
  }

  @Test
  void the_command_line_and_a_create_say_times_too() throws Exception {
    try (Sandbox box =
        server.create(CreateOptions.defaults().service(job("0 3 * * *", "echo now")))) {
      assertThat(status(box).state()).isEqualTo("scheduled");
      Cli cli = Cli.of(server);
      cli.run("service", "add", "--schedule", "every 2s", box.id(), "tick", "--", "echo", "tock")
          .succeeded();
      awaitMore(box, "tock", 0);
      assertThat(cli.run("service", "ls", box.id()).succeeded().stdout())
          .contains("0 3 * * *")
          .contains("every 2s")
          .contains("scheduled");
      assertThat(cli.run("service", "ls", "--json", box.id()).succeeded().stdout())
          .contains("\"schedule\":\"every 2s\"")
          .contains("\"nextAt\":");
      Cli.Outcome bad =
          cli.run("service", "add", "--schedule", "soon", box.id(), "x", "--", "true");
      assertThat(bad.exitCode()).isNotZero();
      assertThat(bad.stderr().lines()).hasSize(1).first().asString().contains("schedule must be");
      assertThat(said(box, "now")).isZero();
    }
  }
}
