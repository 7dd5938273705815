package dev.cove.sdk;

/** What became of one child of a fork: others may have succeeded where it failed. */
public sealed interface Fork {
  /**
   * The child.
   *
   * @throws CoveApiException when there is none, with the reason
   */
  Sandbox sandbox();

  /** A child that runs. Closing its sandbox deletes it, unless it is detached. */
  record Made(Sandbox sandbox) implements Fork {}

  /** A child that could not be made. */
  record Failed(CoveApiException failure) implements Fork {
    @Override
    public Sandbox sandbox() {
      throw failure;
    }
  }
}
