package dev.cove.model;

import java.util.regex.Pattern;

/** Names a volume, or a checkpoint of one. */
public record VolumeId(String value) implements Comparable<VolumeId> {
  private static final int LENGTH = 20;
  private static final Pattern SHAPE = Pattern.compile("v[a-z0-9]{19}");

  public VolumeId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("A volume id is v and 19 letters or digits");
    }
  }

  public static boolean isValid(String value) {
    return SHAPE.matcher(value).matches();
  }

  public static VolumeId random() {
    return new VolumeId(RandomText.after("v", LENGTH));
  }

  @Override
  public int compareTo(VolumeId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
