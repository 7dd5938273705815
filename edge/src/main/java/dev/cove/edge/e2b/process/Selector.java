package dev.cove.edge.e2b.process;

import org.jspecify.annotations.Nullable;

/** Which process is meant: by its number, or by what its starter called it. */
record Selector(@Nullable Integer pid, @Nullable String tag) {
  Selector {
    if ((pid == null) == (tag == null)) {
      throw new IllegalArgumentException("process must have a pid or a tag");
    }
  }

  @Override
  public String toString() {
    return pid == null ? "process with tag %.64s".formatted(tag) : "process with pid " + pid;
  }
}
