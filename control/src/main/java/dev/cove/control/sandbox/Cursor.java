package dev.cove.control.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the list of sandboxes, which is ordered by age. Stays valid when others come or go.
 */
record Cursor(long createdAtMicros, SandboxId id) implements Comparable<Cursor> {
  private static final Comparator<Cursor> ORDER =
      Comparator.comparingLong(Cursor::createdAtMicros).thenComparing(Cursor::id);
  private static final Pattern SHAPE = Pattern.compile("([0-9]{1,18})-([a-z0-9]{14})");

  static Cursor of(Sandbox sandbox) {
    return new Cursor(Micros.of(sandbox.createdAt()), sandbox.id());
  }

  static Cursor parse(String text) {
    Matcher parts = SHAPE.matcher(text);
    if (!parts.matches() || !SandboxId.isValid(parts.group(2))) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "The cursor is not one that a listing gave.");
    }
    return new Cursor(Long.parseLong(parts.group(1)), new SandboxId(parts.group(2)));
  }

  String encode() {
    return createdAtMicros + "-" + id;
  }

  @Override
  public int compareTo(Cursor other) {
    return ORDER.compare(this, other);
  }
}
