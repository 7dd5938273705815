package dev.cove.edge.e2b.sandbox;

import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.http.Json;
import dev.cove.model.SandboxSpec;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What callers remember about a sandbox: our labels. What does not fit into a label, such as an
 * empty key or a long value, is kept in some labels of this dialect's own.
 */
final class Metadata {
  private static final String OWN = E2bDialect.OWN_LABELS;
  private static final String PACKED = OWN + "metadata.";
  private static final int PIECE = 1_000;

  private Metadata() {}

  static Map<String, String> toLabels(Map<String, String> metadata) {
    var labels = new HashMap<String, String>();
    var others = new TreeMap<String, String>();
    metadata.forEach((key, value) -> (fits(key, value) ? labels : others).put(key, value));
    if (!others.isEmpty()) {
      String packed =
          Base64.getEncoder()
              .encodeToString(Json.writeText(others).getBytes(StandardCharsets.UTF_8));
      for (int from = 0, number = 0; from < packed.length(); from += PIECE, number++) {
        labels.put(
            PACKED + number, packed.substring(from, Math.min(packed.length(), from + PIECE)));
      }
    }
    return labels;
  }

  private static boolean fits(String key, String value) {
    if (key.startsWith(OWN)) {
      return false;
    }
    try {
      SandboxSpec.requireLabels(Map.of(key, value));
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  static Map<String, String> of(Map<String, String> labels) {
    var metadata = new TreeMap<String, String>();
    labels.forEach((key, value) -> {
      if (!key.startsWith(OWN)) {
        metadata.put(key, value);
      }
    });
    var packed = new StringBuilder();
    for (int number = 0; ; number++) {
      @Nullable String piece = labels.get(PACKED + number);
      if (piece == null) {
        break;
      }
      packed.append(piece);
    }
    if (!packed.isEmpty()) {
      byte[] json = Base64.getDecoder().decode(packed.toString());
      metadata.putAll(Json.read(json, Texts.class));
    }
    return metadata;
  }

  /** So that JSON knows what is in the map. */
  static final class Texts extends HashMap<String, String> {}
}
