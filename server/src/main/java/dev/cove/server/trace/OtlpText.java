package dev.cove.server.trace;

import dev.cove.model.observe.Span.Ended;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Spans as OTLP's JSON form has them. */
final class OtlpText {
  private static final long BILLION = 1_000_000_000L;
  private static final int INTERNAL = 1;
  private static final int SERVER = 2;
  private static final int ERROR = 2;

  private OtlpText() {}

  static String of(String service, String version, List<Ended> spans) {
    var text = new StringBuilder(512 + spans.size() * 400);
    text.append("{\"resourceSpans\":[{\"resource\":");
    attributes(text, Map.of("service.name", service, "service.version", version));
    text.append("},\"scopeSpans\":[{\"scope\":{\"name\":\"cove\"},\"spans\":[");
    String separator = "";
    for (Ended span : spans) {
      text.append(separator);
      span(text, span);
      separator = ",";
    }
    return text.append("]}]}]}").toString();
  }

  private static void span(StringBuilder text, Ended span) {
    long begun = nanos(span.begun());
    attributes(text, span.attributes());
    text.append(",\"traceId\":\"").append(span.trace());
    text.append("\",\"spanId\":\"").append(span.id());
    if (!span.parent().isEmpty()) {
      text.append("\",\"parentSpanId\":\"").append(span.parent());
    }
    text.append("\",\"name\":").append(quoted(span.name()));
    text.append(",\"kind\":").append(span.serving() ? SERVER : INTERNAL);
    text.append(",\"startTimeUnixNano\":\"").append(begun);
    text.append("\",\"endTimeUnixNano\":\"").append(begun + span.nanos()).append('"');
    if (span.failed()) {
      text.append(",\"status\":{\"code\":").append(ERROR).append('}');
    }
    text.append('}');
  }

  /** Opens the object that has them; the caller closes it. */
  private static void attributes(StringBuilder text, Map<String, String> attributes) {
    text.append("{\"attributes\":[");
    String separator = "";
    for (var entry : attributes.entrySet()) {
      text.append(separator).append("{\"key\":").append(quoted(entry.getKey()));
      text.append(",\"value\":{\"stringValue\":").append(quoted(entry.getValue())).append("}}");
      separator = ",";
    }
    text.append(']');
  }

  private static long nanos(Instant time) {
    return time.getEpochSecond() * BILLION + time.getNano();
  }

  private static String quoted(String value) {
    var text = new StringBuilder(value.length() + 2).append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append("\\u%04x".formatted((int) c));
      } else {
        text.append(c);
      }
    }
    return text.append('"').toString();
  }
}
