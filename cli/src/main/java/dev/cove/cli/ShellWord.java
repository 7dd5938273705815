package dev.cove.cli;

/** A word as a shell reads it back, for lines that people copy. */
final class ShellWord {
  private ShellWord() {}

  static String of(String text) {
    return text.matches("[A-Za-z0-9_:/.-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
