package dev.cove.e2e;

import java.io.IOException;

/** Who waits for a place on a server that is full. */
final class Waiting {
  private static final String METRIC = "cove_places_waiting ";

  private Waiting() {}

  static long count(RunningServer server) throws IOException, InterruptedException {
    try (var api = new RawApi(server)) {
      return api.get("/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith(METRIC))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(METRIC.length())))
          .findFirst()
          .orElseThrow(() -> new IOException("The metrics have no " + METRIC));
    }
  }
}
