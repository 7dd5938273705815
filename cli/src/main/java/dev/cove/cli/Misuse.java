package dev.cove.cli;

/** A call that can be parsed and still makes no sense; told as a mistyped option is. */
final class Misuse extends RuntimeException {
  Misuse(String sentence) {
    super(sentence);
  }
}
