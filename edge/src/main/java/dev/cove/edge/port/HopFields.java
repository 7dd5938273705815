package dev.cove.edge.port;

import dev.cove.edge.http.HeaderField;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The fields of a message that are for the next hop only, by their nature or because it says so.
 */
final class HopFields {
  private static final Set<String> ALWAYS =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  private final Set<String> names;

  private HopFields(Set<String> names) {
    this.names = names;
  }

  static HopFields of(List<HeaderField> fields) {
    Set<String> names = ALWAYS;
    for (HeaderField field : fields) {
      if (field.is("Connection")) {
        names = new HashSet<>(names);
        for (String name : field.value().split(",")) {
          names.add(name.strip().toLowerCase(Locale.ROOT));
        }
      }
    }
    return new HopFields(names);
  }

  boolean contains(HeaderField field) {
    return names.contains(field.name().toLowerCase(Locale.ROOT));
  }
}
