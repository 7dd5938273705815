package dev.cove.model.network;

/** Ports from one to another, both included. */
public record PortRange(int first, int last) {
  public static final PortRange ANY = new PortRange(1, 65_535);

  public PortRange {
    if (first < 1 || last > 65_535 || first > last) {
      throw new IllegalArgumentException("A port is a number from 1 to 65535");
    }
  }

  /** {@code 443}, {@code 8000-8999} or {@code *}. */
  public static PortRange of(String text) {
    if (text.equals("*")) {
      return ANY;
    }
    if (!text.matches("[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?")) {
      throw new IllegalArgumentException(
          "Ports are written as in 443 or 8000-8999, without zeros before them");
    }
    String[] ends = text.split("-");
    return new PortRange(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
  }

  public boolean contains(int port) {
    return port >= first && port <= last;
  }

  @Override
  public String toString() {
    if (equals(ANY)) {
      return "*";
    }
    return first == last ? Integer.toString(first) : first + "-" + last;
  }
}
