package dev.cove.cli;

/** Reads the number of a port. */
final class PortNumber {
  private static final int HIGHEST = 65_535;

  private PortNumber() {}

  static int parse(String text) {
    if (text.matches("[1-9][0-9]{0,4}") && Integer.parseInt(text) <= HIGHEST) {
      return Integer.parseInt(text);
    }
    throw new Misuse("'" + text + "' is not a port from 1 to " + HIGHEST);
  }
}
