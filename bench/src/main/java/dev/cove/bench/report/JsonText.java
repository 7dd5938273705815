package dev.cove.bench.report;

import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A report as JSON for machines. */
public final class JsonText {
  private JsonText() {}

  public static String of(Report report) {
    return value(
            fields(
                "version", report.version(),
                "date", report.machine().date().toString(),
                "machine", machine(report.machine()),
                "peers", report.peers().stream().map(JsonText::peer).toList(),
                "sections", report.sections().stream().map(JsonText::section).toList(),
                "figures", report.figures().stream().map(JsonText::figure).toList()))
        + "\n";
  }

  private static Map<String, Object> machine(MachineLine machine) {
    return fields(
        "cpu", machine.cpu(),
        "cores", machine.cores(),
        "memoryBytes", machine.memoryBytes(),
        "kernel", machine.kernel(),
        "cgroups", machine.cgroups());
  }

  private static Map<String, Object> peer(PeerLine peer) {
    return fields("name", peer.name(), "standing", peer.standing(), "detail", peer.detail());
  }

  private static Map<String, Object> section(Section section) {
    return fields(
        "name", section.name(),
        "title", section.title(),
        "timings", section.timings().stream().map(JsonText::timing).toList(),
        "quantities", section.quantities().stream().map(JsonText::quantity).toList(),
        "notes", section.notes());
  }

  private static Map<String, Object> timing(Timing timing) {
    Samples samples = timing.samples();
    return fields(
        "key", timing.key(),
        "label", timing.label(),
        "n", samples.count(),
        "failures", samples.failures(),
        "minMs", samples.minMillis(),
        "p50Ms", samples.p50Millis(),
        "p99Ms", samples.p99Millis());
  }

  private static Map<String, Object> quantity(Quantity quantity) {
    return fields(
        "key", quantity.key(),
        "label", quantity.label(),
        "value", quantity.value(),
        "unit", quantity.unit());
  }

  private static Map<String, Object> figure(Figure figure) {
    return fields(
        "what", figure.what(),
        "target", figure.target(),
        "measured", figure.measured(),
        "verdict", figure.verdict().name().toLowerCase(Locale.ROOT));
  }

  private static Map<String, Object> fields(Object... namesAndValues) {
    var fields = new LinkedHashMap<String, Object>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return fields;
  }

  /**
   * Maps, lists, text and numbers; a number that is none becomes null, as JSON has no word for it.
   */
  public static String value(Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(field -> quote(String.valueOf(field.getKey())) + ":" + value(field.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case List<?> list ->
          list.stream().map(JsonText::value).collect(Collectors.joining(",", "[", "]"));
      case Double number when !Double.isFinite(number) -> "null";
      case Double number -> String.format(Locale.ROOT, "%.3f", number);
      case Number number -> number.toString();
      case Boolean flag -> flag.toString();
      case String text -> quote(text);
      default -> throw new IllegalArgumentException("No JSON form for " + value.getClass());
    };
  }

  private static String quote(String text) {
    var out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        default -> {
          if (c < ' ') {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }
}
