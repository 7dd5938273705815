package dev.cove.review.apply;

/** What becomes of one path. */
sealed interface Decision {
  /** The host has it already, or keeps what it has. */
  record Keep() implements Decision {}

  record Take(Version version) implements Decision {}

  /** Somebody has to choose. */
  record Contested(String reason) implements Decision {}

  /** It cannot be taken by anybody. */
  record Skip(String reason) implements Decision {}
}
