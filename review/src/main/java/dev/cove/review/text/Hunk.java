package dev.cove.review.text;

import java.util.List;

/** Lines that changed and lie near each other, with some around them that did not. */
public record Hunk(String heading, List<DiffLine> lines) {
  public Hunk {
    lines = List.copyOf(lines);
  }
}
