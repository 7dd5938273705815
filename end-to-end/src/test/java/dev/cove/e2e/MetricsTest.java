package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an operator sees of a server that works. */
class MetricsTest {
  private static final Pattern NAME = Pattern.compile("\\b(cove|jvm|process)_[a-z0-9_]+");
  private static final Path OPS = Path.of("../ops");

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  /** Each sample by its name and labels, as the server writes them. */
  private static Map<String, Double> scrape() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))
              .header("Authorization", "Bearer " + server.key())
              .build();
      var samples = new TreeMap<String, Double>();
      for (String line : client.send(request, BodyHandlers.ofString()).body().split("\n")) {
        if (!line.startsWith("#")) {
          int space = line.lastIndexOf(' ');
          samples.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
        }
      }
      return samples;
    }
  }

  private static double steps(Map<String, Double> samples, String step) {
    String sample = "cove_step_seconds_count{step=\"" + step + "\"}";
    assertThat(samples).containsKey(sample);
    return samples.getOrDefault(sample, 0.0);
  }

  @Test
  void what_sandboxes_go_through_is_counted_and_timed() throws Exception {
    Map<String, Double> before = scrape();
    Sandbox box = server.create();
    box.exec("true");
    box.pause();
    assertThat(scrape()).containsEntry("cove_sandboxes{state=\"paused\"}", 1.0);
    box.resume();
    box.checkpoint();
    box.stop();
    box.start();
    box.delete();
    Map<String, Double> after = scrape();
    for (String step :
        Set.of(
            "create",
            "reserve",
            "record",
            "pause",
            "resume",
            "checkpoint",
            "stop",
            "start",
            "delete",
            "exec")) {
      assertThat(steps(after, step)).as(step).isEqualTo(steps(before, step) + 1);
    }
    assertThat(steps(after, "start_cage")).isEqualTo(steps(before, "start_cage") + 2);
    assertThat(steps(after, "commit")).isGreaterThan(steps(before, "commit"));
    assertThat(after.get("cove_step_seconds_sum{step=\"create\"}"))
        .isGreaterThan(before.get("cove_step_seconds_sum{step=\"create\"}"));
    assertThat(after)
        .containsEntry("cove_sandboxes{state=\"running\"}", 0.0)
        .hasEntrySatisfying("process_open_fds", count -> assertThat(count).isPositive())
        .hasEntrySatisfying("cove_disk_free_bytes", bytes -> assertThat(bytes).isPositive());
  }

  @Test
  void requests_are_counted_by_route_and_never_by_what_is_in_the_path() throws Exception {
    try (Sandbox box = server.create(CreateOptions.defaults().name("secret-name"))) {
      box.fetchInfo();
      server.cove().sandboxes().require("secret-name");
      Map<String, Double> samples = scrape();
      assertThat(samples)
          .containsKey(
              "cove_http_requests_total{route=\"GET /api/v1/sandboxes/{box}\",status=\"200\"}");
      assertThat(samples.keySet())
          .noneMatch(name -> name.contains("secret-name") || name.contains(box.id()));
    }
  }

  @Test
  void every_metric_of_the_dashboard_and_of_the_alerts_is_there() throws Exception {
    server.create().delete();
    var there = new TreeSet<String>();
    scrape().keySet().forEach(name -> there.add(name.replaceAll("\\{.*", "")));
    JsonNode dashboard =
        JsonMapper.builder().build().readTree(Files.readString(OPS.resolve("grafana-cove.json")));
    var asked = new TreeSet<String>();
    for (JsonNode panel : dashboard.get("panels")) {
      assertThat(panel.get("targets")).as(panel.get("title").asString()).isNotEmpty();
      panel.get("targets").forEach(target -> addNames(target.get("expr").asString(), asked));
    }
    assertThat(asked).hasSizeGreaterThan(20);
    for (String line : Files.readAllLines(OPS.resolve("prometheus-rules.yml"))) {
      if (line.strip().startsWith("expr:")) {
        addNames(line, asked);
      }
    }
    assertThat(there).containsAll(asked);
  }

  private static void addNames(String expression, Set<String> names) {
    Matcher matcher = NAME.matcher(expression);
    while (matcher.find()) {
      names.add(matcher.group());
    }
  }
}
