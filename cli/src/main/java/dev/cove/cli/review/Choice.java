package dev.cove.cli.review;

/** What somebody decided. */
public enum Choice {
  /** Nothing yet. */
  OPEN(' '),
  TAKEN('y'),
  LEFT('n'),
  /** Of some lines one thing, of others another. */
  MIXED('~');

  private final char mark;

  Choice(char mark) {
    this.mark = mark;
  }

  char mark() {
    return mark;
  }
}
