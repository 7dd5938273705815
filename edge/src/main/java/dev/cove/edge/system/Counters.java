package dev.cove.edge.system;

import dev.cove.edge.http.RequestLog;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by route and status, and how long they took. Routes are few and fixed. */
public final class Counters implements RequestLog {
  private static final double[] BOUNDS = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60
  };

  private final Map<Key, LongAdder> requests = new ConcurrentHashMap<>();
  private final Map<String, Histogram> durations = new ConcurrentHashMap<>();

  @Override
  public void answered(String route, int status, long nanos) {
    requests.computeIfAbsent(new Key(route, status), _ -> new LongAdder()).increment();
    durations.computeIfAbsent(route, _ -> new Histogram()).add(nanos);
  }

  void write(Exposition out) {
    out.family("cove_http_requests_total", "counter", "Requests answered, by route and status.");
    new TreeMap<>(requests)
        .forEach((key, count) ->
            out.sample(
                "cove_http_requests_total",
                Map.of("route", key.route(), "status", Integer.toString(key.status())),
                (double) count.sum()));
    out.family("cove_http_request_seconds", "histogram", "Time to answer, by route.");
    new TreeMap<>(durations).forEach((route, histogram) -> histogram.write(out, route));
  }

  private record Key(String route, int status) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byRoute = route.compareTo(other.route);
      return byRoute != 0 ? byRoute : Integer.compare(status, other.status);
    }
  }

  private static final class Histogram {
    private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
    private final LongAdder nanosSum = new LongAdder();

    Histogram() {
      for (int i = 0; i < buckets.length; i++) {
        buckets[i] = new LongAdder();
      }
    }

    void add(long nanos) {
      int bucket = 0;
      while (bucket < BOUNDS.length && nanos > BOUNDS[bucket] * 1e9) {
        bucket++;
      }
      buckets[bucket].increment();
      nanosSum.add(nanos);
    }

    void write(Exposition out, String route) {
      long total = 0;
      for (int i = 0; i < buckets.length; i++) {
        total += buckets[i].sum();
        String bound = i < BOUNDS.length ? Double.toString(BOUNDS[i]) : "+Inf";
        out.sample(
            "cove_http_request_seconds_bucket",
            Map.of("route", route, "le", bound),
            (double) total);
      }
      out.sample("cove_http_request_seconds_sum", Map.of("route", route), nanosSum.sum() / 1e9);
      out.sample("cove_http_request_seconds_count", Map.of("route", route), (double) total);
    }
  }
}
