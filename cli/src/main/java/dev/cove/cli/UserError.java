package dev.cove.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** A failure to tell the user in one sentence, with no stack trace. */
final class UserError extends RuntimeException {
  UserError(String sentence) {
    super(sentence);
  }

  UserError(String sentence, Throwable cause) {
    super(sentence, cause);
  }

  /** What some exceptions say of themselves is only the name of the file. */
  static UserError of(String sentence, IOException cause) {
    return new UserError(sentence + ": " + reason(cause), cause);
  }

  private static String reason(IOException cause) {
    return switch (cause) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "there is no such file or folder";
      default -> String.valueOf(cause.getMessage());
    };
  }
}
