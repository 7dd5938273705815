package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MetricsApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static final Pattern LINE =
      Pattern.compile("[a-z_]+(\\{([a-z_]+=\"[^\"]*\",?)+})? [0-9.eE+-]+");

  @Test
  void requests_sandboxes_and_memory_are_counted() {
    String box = EDGE.create();
    EDGE.get("/api/v1/sandboxes/" + box);
    EDGE.get("/api/v1/sandboxes/" + box);
    EDGE.get("/api/v1/sandboxes/nobody");
    // A request is counted a moment after its answer.
    String counted = "cove_http_request_seconds_count{route=\"GET /api/v1/sandboxes/{box}\"} 3\n";
    String text = EDGE.get("/metrics").text();
    for (int i = 0; i < 200 && !text.contains(counted); i++) {
      text = EDGE.get("/metrics").text();
    }
    assertThat(text)
        .contains("cove_sandboxes{state=\"running\"} 1\n")
        .contains(
            "cove_http_requests_total{route=\"GET /api/v1/sandboxes/{box}\",status=\"200\"} 2\n")
        .contains(
            "cove_http_requests_total{route=\"GET /api/v1/sandboxes/{box}\",status=\"404\"} 1\n")
        .contains("cove_http_request_seconds_count{route=\"GET /api/v1/sandboxes/{box}\"} 3\n")
        .contains("cove_node_max_sandboxes 1000\n")
        .contains("jvm_memory_used_bytes ")
        .doesNotContain(box);
    assertThat(text.lines().filter(line -> !line.startsWith("#")))
        .allMatch(line -> LINE.matcher(line).matches());
  }

  @Test
  void names_that_strangers_make_up_make_no_new_series() {
    for (int i = 0; i < 50; i++) {
      EDGE.get("/made/up/" + i);
    }
    assertThat(EDGE.get("/metrics").text())
        .contains("route=\"other\",status=\"404\"")
        .doesNotContain("made/up");
  }
}
