package dev.cove.control.build;

import java.util.List;
import java.util.Optional;

/**
 * One part of a build, with a root file system of its own.
 *
 * @param name in lower case
 * @param from an earlier stage's name in lower case, the reference of an image or template, or
 *     {@code scratch}
 */
public record Stage(Optional<String> name, String from, List<Step> steps) {
  public static final String SCRATCH = "scratch";

  public Stage {
    if (from.isBlank()) {
      throw new BuildException("A stage needs something to start from");
    }
    steps = List.copyOf(steps);
  }
}
