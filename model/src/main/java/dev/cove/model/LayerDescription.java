package dev.cove.model;

import java.util.List;

/**
 * What must be known of a layer to have it elsewhere.
 *
 * @param digest of its content, these other fields included
 * @param size of its image, holes included
 * @param parts where in a sandbox the parts of its image belong, apart from the root
 */
public record LayerDescription(String digest, long size, List<String> parts) {
  private static final long MAX_SIZE = 1L << 44;
  private static final int MAX_PARTS = 64;
  private static final int MAX_PART = 4_096;

  public LayerDescription {
    parts = List.copyOf(parts);
    if (!digest.matches("sha256:[0-9a-f]{64}") || size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException("A layer's digest or size makes no sense");
    }
    if (parts.size() > MAX_PARTS
        || parts.stream().anyMatch(p -> p.length() > MAX_PART || p.indexOf('\n') >= 0)) {
      throw new IllegalArgumentException("A layer's parts make no sense");
    }
  }
}
