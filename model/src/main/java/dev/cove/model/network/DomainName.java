package dev.cove.model.network;

import java.net.IDN;
import java.util.Locale;
import java.util.regex.Pattern;

/** A host's name in its one spelling: lower case, ASCII, without a dot at its end. */
public record DomainName(String value) {
  private static final int MAX = 253;
  private static final String LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
  private static final Pattern FORM = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

  /** What some program somewhere would take for an address. */
  private static final Pattern NUMERIC = Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)");

  public DomainName {
    if (value.length() > MAX
        || !FORM.matcher(value).matches()
        || NUMERIC.matcher(value).matches()) {
      throw new IllegalArgumentException("That is not the name of a host");
    }
  }

  /**
   * @throws IllegalArgumentException for anything but a name; also for an address, however it is
   *     spelled
   */
  public static DomainName of(String text) {
    String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    if (name.isEmpty() || name.length() > MAX) {
      throw new IllegalArgumentException("A host's name has 1 to %d characters".formatted(MAX));
    }
    boolean ascii = name.chars().allMatch(c -> c < 128);
    return new DomainName((ascii ? name : IDN.toASCII(name)).toLowerCase(Locale.ROOT));
  }

  boolean isBelow(DomainName parent) {
    return value.endsWith("." + parent.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
