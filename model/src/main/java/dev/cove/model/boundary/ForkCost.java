package dev.cove.model.boundary;

import java.util.Locale;

/** What a fork takes. */
public enum ForkCost {
  /** Files are shared until they are written, programs begin anew. */
  SHARED_FILES,
  /** What was written since the last checkpoint is copied, programs begin anew. */
  COPIED_FILES,
  /** Files and memory are shared until they are written; programs go on. */
  SHARED_MEMORY;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
