package dev.cove.model;

import java.util.regex.Pattern;

/** Names a sealed layer: what a sandbox had written at one moment. */
public record LayerId(String value) implements Comparable<LayerId> {
  private static final int LENGTH = 20;
  private static final Pattern SHAPE = Pattern.compile("l[a-z0-9]{19}");

  public LayerId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("A layer id is l and 19 letters or digits");
    }
  }

  public static boolean isValid(String value) {
    return SHAPE.matcher(value).matches();
  }

  public static LayerId random() {
    return new LayerId(RandomText.after("l", LENGTH));
  }

  @Override
  public int compareTo(LayerId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
