package dev.cove.egress.http;

import java.io.IOException;

/** An answer that would have to be changed, in a form into which one can not look. */
public final class UnreadableAnswerException extends IOException {
  private final String what;

  public UnreadableAnswerException(String what) {
    super(what);
    this.what = what;
  }

  /** What it gets instead, while nothing of it has gone on. */
  public Page page() {
    return Page.unreadable(what);
  }
}
