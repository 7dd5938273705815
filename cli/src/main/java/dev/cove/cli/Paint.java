package dev.cove.cli;

/** Colours, where the terminal has them. */
enum Paint {
  BOLD("1"),
  DIM("2"),
  RED("31"),
  GREEN("32"),
  YELLOW("33"),
  CYAN("36"),
  WARNING("1;31");

  private final String code;

  Paint(String code) {
    this.code = code;
  }

  /** The text must be fit to be printed, and be part of one line. */
  String on(String text, boolean colours) {
    return colours && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
