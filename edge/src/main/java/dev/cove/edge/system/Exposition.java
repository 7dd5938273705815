package dev.cove.edge.system;

import dev.cove.model.observe.Durations;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Metrics in Prometheus' text format. */
final class Exposition {
  static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder text = new StringBuilder(4_096);

  void family(String name, String type, String help) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  void sample(String name, Map<String, String> labels, double value) {
    text.append(name);
    if (!labels.isEmpty()) {
      char separator = '{';
      for (var label : new TreeMap<>(labels).entrySet()) {
        text.append(separator).append(label.getKey()).append("=\"");
        text.append(escape(label.getValue())).append('"');
        separator = ',';
      }
      text.append('}');
    }
    text.append(' ').append(number(value)).append('\n');
  }

  void gauge(String name, String help, double value) {
    family(name, "gauge", help);
    sample(name, Map.of(), value);
  }

  void counter(String name, String help, double value) {
    family(name, "counter", help);
    sample(name, Map.of(), value);
  }

  void histogram(String name, String label, String value, Durations all) {
    long count =
        all.read((bound, upTo) ->
            sample(name + "_bucket", Map.of(label, value, "le", bound), (double) upTo));
    sample(name + "_sum", Map.of(label, value), all.seconds());
    sample(name + "_count", Map.of(label, value), (double) count);
  }

  byte[] bytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
