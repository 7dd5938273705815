package dev.cove.edge.port;

import dev.cove.edge.http.HeaderField;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What may be kept of an answer, and by whom. Who may see a port changes from one moment to the
 * next, so nothing of it is shown again without asking, whatever the server inside says; and what
 * was not for everybody is kept by the one who asked alone.
 */
final class Caching {
  /** These would let a cache answer without asking; some speak to caches of one maker only. */
  private static final Set<String> REPLACED =
      Set.of("cache-control", "cdn-cache-control", "expires", "pragma", "surrogate-control", "age");

  private static final HeaderField FOR_EVERYBODY = new HeaderField("Cache-Control", "no-cache");
  private static final HeaderField FOR_ONE = new HeaderField("Cache-Control", "private, no-cache");
  private static final HeaderField FOR_NOBODY = new HeaderField("Cache-Control", "no-store");

  private Caching() {}

  static boolean replaces(HeaderField field) {
    String name = field.name().toLowerCase(Locale.ROOT);
    return REPLACED.contains(name) || name.endsWith("-cdn-cache-control");
  }

  /**
   * @param inside the fields of the server's own answer
   */
  static HeaderField of(List<HeaderField> inside, boolean forEverybody) {
    String said = "";
    for (HeaderField field : inside) {
      if (field.is("Cache-Control")) {
        said += field.value().toLowerCase(Locale.ROOT) + ",";
      }
    }
    if (said.contains("no-store")) {
      return FOR_NOBODY;
    }
    return forEverybody && !said.contains("private") ? FOR_EVERYBODY : FOR_ONE;
  }
}
