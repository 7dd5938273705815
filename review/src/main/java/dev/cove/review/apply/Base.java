package dev.cove.review.apply;

/** What a sandbox began with, at one path. */
public sealed interface Base {
  record Known(Version version) implements Base {}

  /** The host's file has changed since, and nobody kept what it was. */
  record Unknown() implements Base {}
}
