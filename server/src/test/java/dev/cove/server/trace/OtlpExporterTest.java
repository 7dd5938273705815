package dev.cove.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.observe.Span;
import dev.cove.model.observe.Tally;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class OtlpExporterTest {
  private static final int MANY = 10_000;
  private static final int BATCH = 512;

  private static OtlpExporter exporter(int port) {
    var url = URI.create("http://127.0.0.1:" + port + "/v1/traces");
    return OtlpExporter.start(new OtlpExporter.Collector(url, Map.of(), "cove"), "test");
  }

  private static void endSpans(int count) {
    for (int i = 0; i < count; i++) {
      Span span = Span.ofRequest(Optional.empty()).orElseThrow();
      assertThat(span.call(() -> 1)).isEqualTo(1);
      span.answered("GET /x", 200);
    }
  }

  @Test
  void a_collector_that_never_answers_costs_spans_and_nobody_waits_for_it() throws Exception {
    long before = Tally.SPANS_DROPPED.sum();
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        OtlpExporter _ = exporter(silent.getLocalPort())) {
      endSpans(MANY);
      assertThat(Tally.SPANS_DROPPED.sum() - before)
          .as("all but those that wait, or are on their way")
          .isBetween((long) MANY - OtlpExporter.QUEUE - 2 * BATCH, (long) MANY);
    }
    assertThat(Span.ofRequest(Optional.empty())).as("none are made any more").isEmpty();
  }

  @Test
  void what_a_collector_that_is_down_does_not_take_is_counted() throws Exception {
    int nobody;
    try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = closed.getLocalPort();
    }
    long before = Tally.SPANS_DROPPED.sum();
    try (OtlpExporter _ = exporter(nobody)) {
      endSpans(100);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Tally.SPANS_DROPPED.sum() - before == 100);
    }
  }
}
