package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.LogFeed;
import dev.cove.sdk.LogLine;
import dev.cove.sdk.LogQuery;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxLogs;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a start command says is kept, within bounds, over all that happens to sandbox and server.
 */
class LogsTest {
  private static final int LOG_KB = 128;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of("COVE_POOL_SIZE", "0", "COVE_SANDBOX_LOG_KB", Integer.toString(LOG_KB)));

  private static Sandbox starting(String script) {
    return server.create(CreateOptions.defaults().start("sh", "-c", script));
  }

  private static List<LogLine> all(Sandbox box, LogQuery query) {
    var lines = new ArrayList<LogLine>();
    SandboxLogs.Page page = box.logs().list(query, 10_000);
    lines.addAll(page.items());
    while (page.more()) {
      page = box.logs().list(query.after(page.next()), 10_000);
      lines.addAll(page.items());
    }
    return lines;
  }

  private static List<String> said(Sandbox box, String stream) {
    return all(box, LogQuery.all().stream(stream)).stream().map(LogLine::text).toList();
  }

  private static void awaitSaid(Sandbox box, String stream, String text) {
    Awaitility.await(text)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> said(box, stream).contains(text));
  }

  @Test
  void what_a_start_command_says_is_kept_by_stream_and_in_order() {
    try (Sandbox box = starting("echo one; echo two; echo oops >&2; exec sleep 1000")) {
      awaitSaid(box, "stderr", "oops");
      awaitSaid(box, "stdout", "two");
      assertThat(said(box, "stdout")).containsExactly("one", "two");
      assertThat(said(box, "stderr")).containsExactly("oops");
      List<LogLine> lines = all(box, LogQuery.all());
      assertThat(lines).extracting(LogLine::service).containsOnly("start");
      assertThat(lines.stream().map(LogLine::id).toList())
          .isEqualTo(IntStream.rangeClosed(1, lines.size()).mapToObj(i -> (long) i).toList());
      assertThat(box.logs().list(LogQuery.all().stream("stdout").tail(1), 10).items())
          .extracting(LogLine::text)
          .containsExactly("two");
      assertThat(all(box, LogQuery.all().since(Instant.now().plusSeconds(60)))).isEmpty();
    }
  }

  @Test
  void lines_of_any_bytes_and_any_length_are_cut_and_kept() {
    try (Sandbox box =
        starting(
            "printf 'a\\377b\\000c\\n'; head -c 40000 /dev/zero | tr '\\0' x; echo; echo end;"
                + " exec sleep 1000")) {
      awaitSaid(box, "stdout", "end");
      List<LogLine> lines = all(box, LogQuery.all().stream("stdout"));
      assertThat(lines.getFirst().text()).isEqualTo("a\ufffdb\0c");
      List<LogLine> pieces = lines.subList(1, lines.size() - 1);
      assertThat(pieces).extracting(LogLine::cut).containsExactly(true, true, false);
      assertThat(pieces.stream().mapToInt(line -> line.text().length()).sum()).isEqualTo(40_000);
    }
  }

  @Test
  void a_log_never_outgrows_its_bound_and_keeps_the_newest() throws IOException {
    try (Sandbox box = starting("seq 1 60000; echo end; exec sleep 1000")) {
      awaitSaid(box, "stdout", "end");
      assertThat(bytesOf(folder(box))).isPositive().isLessThanOrEqualTo(LOG_KB * 1024L);
      SandboxLogs.Page page = box.logs().list(LogQuery.all().after(0), 10);
      assertThat(page.dropped()).isTrue();
      List<String> kept = said(box, "stdout");
      assertThat(kept.size()).isGreaterThan(500);
      int first = Integer.parseInt(kept.getFirst());
      assertThat(kept.subList(0, kept.size() - 1))
          .isEqualTo(IntStream.rangeClosed(first, 60_000).mapToObj(Integer::toString).toList());
    }
  }

  @Test
  void a_followed_log_tells_what_comes_and_resumes_where_it_was() {
    try (Sandbox box = starting("for i in $(seq 1 200); do echo $i; sleep 0.05; done")) {
      LogLine seen;
      try (LogFeed feed = box.logs().follow(LogQuery.all().stream("stdout"))) {
        assertThat(feed.next().orElseThrow().text()).isEqualTo("1");
        seen = feed.next().orElseThrow();
        assertThat(seen.text()).isEqualTo("2");
      }
      try (LogFeed feed = box.logs().follow(LogQuery.all().stream("stdout").after(seen.id()))) {
        assertThat(feed.next().orElseThrow().text()).isEqualTo("3");
      }
    }
  }

  @Test
  void following_ends_with_the_sandbox_and_so_does_the_log() {
    Sandbox box = starting("echo hello; exec sleep 1000");
    awaitSaid(box, "stdout", "hello");
    Path folder = folder(box);
    assertThat(folder).isDirectory();
    try (LogFeed feed = box.logs().follow(LogQuery.all().tail(0))) {
      box.delete();
      Awaitility.await().atMost(PATIENCE).until(() -> feed.next().isEmpty());
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void following_does_not_wake_a_sandbox() {
    try (Sandbox box = starting("echo hello; exec sleep 1000")) {
      awaitSaid(box, "stdout", "hello");
      box.pause();
      try (LogFeed feed = box.logs().follow(LogQuery.all())) {
        assertThat(feed.next()).isPresent();
      }
      assertThat(box.services().list()).hasSize(1);
      assertThat(box.fetchInfo().state()).isEqualTo("paused");
    }
  }

  @Test
  void a_log_outlives_stop_and_start_and_a_crash_of_the_server() throws IOException {
    Sandbox made =
        starting("echo begin; i=0; while true; do i=$((i+1)); echo n$i; sleep 0.02; done");
    String id = made.detach().id();
    awaitSaid(made, "stdout", "n5");
    server.kill();
    server.start();
    Sandbox box = server.cove().sandboxes().require(id);
    int there = numbers(box).size();
    Awaitility.await().atMost(PATIENCE).until(() -> numbers(box).size() > there + 5);
    // Nothing twice, nothing missing: also not what was said while there was no server.
    List<Integer> numbers = numbers(box);
    assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, numbers.size()).boxed().toList());
    assertThat(said(box, "stdout")).containsOnlyOnce("begin");
    box.stop();
    box.start();
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> said(box, "stdout").stream().filter("begin"::equals).count() == 2);
    box.delete();
  }

  private static List<Integer> numbers(Sandbox box) {
    return said(box, "stdout").stream()
        .filter(text -> text.startsWith("n"))
        .map(text -> Integer.parseInt(text.substring(1)))
        .toList();
  }

  @Test
  void logs_of_sandboxes_that_are_no_more_go_when_the_server_starts() throws IOException {
    Path orphan = server.home().resolve("data/logs/zzzzzzzzzzzzzz");
    Files.createDirectories(orphan);
    Files.writeString(orphan.resolve("0000000000000000001.log"), "left\n");
    server.stop();
    server.start();
    assertThat(orphan).doesNotExist();
  }

  @Test
  void what_services_say_is_not_in_the_servers_own_log() throws IOException {
    try (Sandbox box = starting("echo very-$((40+2))-private; exec sleep 1000")) {
      awaitSaid(box, "stdout", "very-42-private");
      assertThat(Files.readString(server.log())).doesNotContain("very-42-private");
    }
  }

  @Test
  void the_command_line_shows_and_follows_logs() throws Exception {
    try (Sandbox box = starting("echo one; echo two; echo three >&2; exec sleep 1000")) {
      awaitSaid(box, "stderr", "three");
      awaitSaid(box, "stdout", "two");
      Cli cli = Cli.of(server);
      assertThat(cli.run("logs", "--stream", "stdout", box.id()).succeeded().stdout())
          .isEqualTo("start | one\nstart | two\n");
      assertThat(
              cli.run("logs", "--service", "start", "--stream", "stdout", "--tail", "1", box.id())
                  .succeeded()
                  .stdout())
          .isEqualTo("two\n");
      assertThat(
              cli.run("logs", "--since", "10m", "--json", "--stream", "stderr", box.id())
                  .succeeded()
                  .stdout())
          .contains("\"text\":\"three\"", "\"service\":\"start\"");
      assertThat(cli.run("logs", "--since", "yesterday", box.id()).exitCode()).isEqualTo(2);
      assertThat(cli.run("logs", "no-such-box").exitCode()).isEqualTo(1);
    }
  }

  @Test
  void no_more_than_64_logs_are_followed_at_once() throws Exception {
    try (Sandbox box = starting("echo here; sleep 1000");
        var api = new RawApi(server)) {
      String path = "/api/v1/sandboxes/" + box.id() + "/logs";
      var following = new ArrayList<InputStream>();
      try {
        for (int i = 0; i < 64; i++) {
          HttpResponse<InputStream> one = api.follow(path);
          following.add(one.body());
          assertThat(one.statusCode()).isEqualTo(200);
        }
        try (InputStream refused = api.follow(path).body()) {
          assertThat(new String(refused.readAllBytes(), StandardCharsets.UTF_8))
              .contains("too_many_requests")
              .contains("64 streams of logs");
        }
        assertThat(api.get(path).statusCode()).as("pages are no streams").isEqualTo(200);
        following.removeLast().close();
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> {
              HttpResponse<InputStream> next = api.follow(path);
              following.add(next.body());
              return next.statusCode() == 200;
            });
      } finally {
        for (InputStream one : following) {
          one.close();
        }
      }
    }
  }

  @Test
  void a_full_disk_of_logs_costs_lines_and_holds_up_nobody() throws Exception {
    server.stop();
    Path logs = server.home().resolve("data/logs");
    HomeDisk.run("mount", "-t", "tmpfs", "-o", "size=32k", "cove-e2e-logs", logs.toString());
    server.start();
    try (Sandbox box =
            starting(
                "i=0; while [ $i -lt 4000 ]; do echo line number $i; i=$((i+1)); done;"
                    + " touch /tmp/done; until [ -e /tmp/again ]; do sleep 0.1; done;"
                    + " echo afterwards; sleep 1000");
        var api = new RawApi(server)) {
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> box.exec("test", "-e", "/tmp/done").exitCode() == 0);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() ->
              api.get("/metrics")
                  .body()
                  .lines()
                  .anyMatch(line -> line.matches("cove_log_lines_lost_total [1-9].*")));
      assertThat(api.get("/readyz").statusCode()).isEqualTo(200);
      HomeDisk.run("mount", "-o", "remount,size=4m", logs.toString());
      box.exec("touch", "/tmp/again");
      awaitSaid(box, "stdout", "afterwards");
      assertThat(said(box, "cove"))
          .anyMatch(line -> line.matches("[0-9]+ lines could not be written"));
    } finally {
      server.stop();
      HomeDisk.run("umount", logs.toString());
      server.start();
    }
  }

  @Test
  void a_wrong_question_is_refused() {
    try (Sandbox box = server.create()) {
      assertThat(box.logs().list(LogQuery.all(), 10).items()).isEmpty();
      assertThatThrownBy(() -> box.logs().list(LogQuery.all().stream("stdin"), 10))
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.status()).isEqualTo(400));
      assertThatThrownBy(() -> box.logs().list(LogQuery.all().tail(10_001), 10))
          .isInstanceOf(CoveApiException.class);
    }
  }

  private static Path folder(Sandbox box) {
    return server.home().resolve("data/logs").resolve(box.id());
  }

  private static long bytesOf(Path folder) throws IOException {
    long sum = 0;
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        sum += Files.size(file);
      }
    }
    return sum;
  }
}
