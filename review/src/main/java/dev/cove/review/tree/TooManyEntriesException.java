package dev.cove.review.tree;

import java.io.IOException;

/** A folder holds more than anybody wants to look at. */
public final class TooManyEntriesException extends IOException {
  private static final long serialVersionUID = 1;

  TooManyEntriesException(TreePath folder, int limit) {
    super(
        "%s holds more than %d entries"
            .formatted(folder.isRoot() ? "The folder" : folder.shown(), limit));
  }
}
