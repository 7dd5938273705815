package dev.cove.cli.review;

import dev.cove.review.text.Hunks;

/** What there is to see of a change. */
public sealed interface Content {
  /** By which it is known again; whoever decided did so about exactly this. */
  String fingerprint();

  /** Lines that can be taken one by one. */
  record Text(Hunks hunks, String fingerprint) implements Content {}

  /**
   * Something that is taken or left whole.
   *
   * @param why in half a sentence
   */
  record Unreadable(String why, String fingerprint) implements Content {}
}
