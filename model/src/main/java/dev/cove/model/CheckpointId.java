package dev.cove.model;

import java.util.regex.Pattern;

/** Names a checkpoint. */
public record CheckpointId(String value) implements Comparable<CheckpointId> {
  private static final int LENGTH = 20;
  private static final Pattern SHAPE = Pattern.compile("c[a-z0-9]{19}");

  public CheckpointId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("A checkpoint id is c and 19 letters or digits");
    }
  }

  public static boolean isValid(String value) {
    return SHAPE.matcher(value).matches();
  }

  public static CheckpointId random() {
    return new CheckpointId(RandomText.after("c", LENGTH));
  }

  @Override
  public int compareTo(CheckpointId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
