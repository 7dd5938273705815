package dev.cove.model;

/**
 * The id of a sandbox: a lower-case letter followed by 13 lower-case letters or digits.
 *
 * <p>It becomes a host name, a folder name and a cgroup name, so nothing else is ever let in.
 */
public record SandboxId(String value) implements Comparable<SandboxId> {
  private static final int LENGTH = 14;

  public SandboxId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("A sandbox id is a letter and 13 letters or digits");
    }
  }

  public static boolean isValid(String value) {
    if (value.length() != LENGTH || !isLetter(value.charAt(0))) {
      return false;
    }
    for (int i = 1; i < LENGTH; i++) {
      char c = value.charAt(i);
      if (!isLetter(c) && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }

  public static SandboxId random() {
    return new SandboxId(RandomText.after(String.valueOf(RandomText.letter()), LENGTH));
  }

  @Override
  public int compareTo(SandboxId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
