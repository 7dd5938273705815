package dev.cove.sdk;

/**
 * Hears how a build goes, on the thread that asked for it. What it throws ends the build and
 * reaches the caller.
 */
public interface BuildListener {
  /**
   * Something that a build does.
   *
   * @param number counts from 1
   * @param of how many there will be
   * @param cached it was done before and is not done again
   */
  record Step(int number, int of, String text, boolean cached) {}

  /** A step begins. */
  void step(Step step);

  /** What a command printed, or a line about what goes on; not always whole lines. */
  void output(String text);

  /** Where nobody listens. */
  static BuildListener silent() {
    return new BuildListener() {
      @Override
      public void step(Step step) {}

      @Override
      public void output(String text) {}
    };
  }
}
