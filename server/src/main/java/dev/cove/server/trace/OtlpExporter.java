package dev.cove.server.trace;

import dev.cove.model.observe.Span;
import dev.cove.model.observe.Span.Ended;
import dev.cove.model.observe.Tally;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a collector, as OTLP over HTTP in its JSON form.
 *
 * <p>Whoever ends a span puts it into a queue and goes on; where the queue is full, or the
 * collector takes none, spans are dropped and counted.
 */
public final class OtlpExporter implements AutoCloseable {
  static final int QUEUE = 4_096;
  private static final Logger log = LoggerFactory.getLogger(OtlpExporter.class);
  private static final int BATCH = 512;
  private static final Duration GATHER = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Collector collector;
  private final String version;
  private final BlockingQueue<Ended> queue = new ArrayBlockingQueue<>(QUEUE);
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final Thread thread;
  private volatile boolean closed;
  private boolean unwell;

  /**
   * Where spans go.
   *
   * @param url of the spans themselves
   * @param fields that each request has, such as what admits it
   * @param service under which name they are found
   */
  public record Collector(URI url, Map<String, String> fields, String service) {
    public Collector {
      fields = Map.copyOf(fields);
    }

    /** What it says may be a secret. */
    @Override
    public String toString() {
      return "collector of " + service;
    }
  }

  private OtlpExporter(Collector collector, String version) {
    this.collector = collector;
    this.version = version;
    this.thread = Thread.ofVirtual().name("trace-export").unstarted(this::run);
  }

  public static OtlpExporter start(Collector collector, String version) {
    var exporter = new OtlpExporter(collector, version);
    exporter.thread.start();
    Span.exportTo(Optional.of(exporter::offer));
    return exporter;
  }

  private void offer(Ended span) {
    if (!queue.offer(span)) {
      Tally.SPANS_DROPPED.increment();
    }
  }

  private void run() {
    var batch = new ArrayList<Ended>();
    while (!closed || !queue.isEmpty()) {
      try {
        Ended first = queue.poll(GATHER.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          queue.drainTo(batch, BATCH - 1);
          send(batch);
          batch.clear();
        }
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  private void send(List<Ended> batch) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(collector.url())
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(OtlpText.of(collector.service(), version, batch)));
    collector.fields().forEach(request::header);
    try {
      int status = client.send(request.build(), BodyHandlers.discarding()).statusCode();
      if (status / 100 == 2) {
        Tally.SPANS_SENT.add(batch.size());
        unwell = false;
      } else {
        dropped(batch, "it answered " + status);
      }
    } catch (IOException e) {
      dropped(batch, "it cannot be reached");
    }
  }

  /** Said once until it is well again. */
  private void dropped(List<Ended> batch, String why) {
    Tally.SPANS_DROPPED.add(batch.size());
    if (!unwell) {
      log.warn("The collector takes no traces: {}; they are dropped", why);
      unwell = true;
    }
  }

  /** What waits is still sent, if that is soon done. */
  @Override
  public void close() {
    Span.exportTo(Optional.empty());
    closed = true;
    try {
      if (!thread.join(PATIENCE)) {
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      thread.interrupt();
    }
    client.shutdownNow();
  }
}
