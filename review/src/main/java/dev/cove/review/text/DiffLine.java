package dev.cove.review.text;

/**
 * One line of a hunk.
 *
 * @param text with its line feed, which only the last line of a version may lack; bytes are as in
 *     {@link Lines}
 * @param number where it stands in the version before, counted from 1; for one that is added, where
 *     the next one stands
 * @param newNumber the same in the version after
 */
public record DiffLine(Sign sign, String text, int number, int newNumber) {
  /** What becomes of the line. */
  public enum Sign {
    KEPT(' '),
    REMOVED('-'),
    ADDED('+');

    private final char character;

    Sign(char character) {
      this.character = character;
    }

    /** In front of the line, as {@code diff -u} has it. */
    public char character() {
      return character;
    }
  }

  /** Whether it can be taken or left. */
  public boolean isEdit() {
    return sign != Sign.KEPT;
  }
}
