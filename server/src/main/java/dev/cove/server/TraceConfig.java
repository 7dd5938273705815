package dev.cove.server;

import dev.cove.server.trace.OtlpExporter.Collector;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where traces go, by the variables that OpenTelemetry has for it.
 *
 * @param collector none for no traces at all
 */
record TraceConfig(Optional<Collector> collector) {
  static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  static final String FIELDS = "OTEL_EXPORTER_OTLP_HEADERS";
  static final String SERVICE = "OTEL_SERVICE_NAME";

  static TraceConfig read(Map<String, String> environment, List<String> faults) {
    String endpoint = environment.getOrDefault(ENDPOINT, "");
    if (endpoint.isEmpty()) {
      return new TraceConfig(Optional.empty());
    }
    try {
      URI base = URI.create(endpoint.endsWith("/") ? endpoint : endpoint + "/");
      if (base.getHost() == null || !List.of("http", "https").contains(base.getScheme())) {
        throw new IllegalArgumentException("no URL");
      }
      String service = environment.getOrDefault(SERVICE, "");
      return new TraceConfig(
          Optional.of(
              new Collector(
                  base.resolve("v1/traces"),
                  fields(environment.getOrDefault(FIELDS, "")),
                  service.isEmpty() ? "cove" : service)));
    } catch (IllegalArgumentException _) {
      // Not repeated: what is wrong may be a secret.
      faults.add(
          "%s must be an http or https URL, and %s pairs such as name=value with commas between"
              .formatted(ENDPOINT, FIELDS));
      return new TraceConfig(Optional.empty());
    }
  }

  private static Map<String, String> fields(String text) {
    var fields = new HashMap<String, String>();
    for (String pair : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("no pair");
      }
      fields.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return fields;
  }
}
