package dev.cove.cli;

/** A failure to tell the user in one sentence, with no stack trace. */
final class UserError extends RuntimeException {
  UserError(String sentence) {
    super(sentence);
  }

  UserError(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
