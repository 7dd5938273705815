package dev.cove.edge.system;

import dev.cove.edge.http.RequestLog;
import dev.cove.model.observe.Durations;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by route and status, and how long they took. Routes are few and fixed. */
public final class Counters implements RequestLog {
  private final Map<Key, LongAdder> requests = new ConcurrentHashMap<>();
  private final Map<String, Durations> durations = new ConcurrentHashMap<>();

  @Override
  public void answered(String route, int status, long nanos) {
    requests.computeIfAbsent(new Key(route, status), _ -> new LongAdder()).increment();
    durations.computeIfAbsent(route, _ -> new Durations()).add(nanos);
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
    new TreeMap<>(durations)
        .forEach((route, all) -> out.histogram("cove_http_request_seconds", "route", route, all));
  }

  private record Key(String route, int status) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byRoute = route.compareTo(other.route);
      return byRoute != 0 ? byRoute : Integer.compare(status, other.status);
    }
  }
}
