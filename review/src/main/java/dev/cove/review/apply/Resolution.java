package dev.cove.review.apply;

/** What becomes of a path that both sides changed in ways that do not go together. */
public enum Resolution {
  /** Nothing at all is applied, and the conflict is shown. */
  REFUSE,
  /** The host's version stays. */
  OURS,
  /** The sandbox's version is taken. */
  THEIRS,
  /** Both, between markers, where both are text; else as {@link #REFUSE}. */
  MARKERS
}
