package dev.cove.control.build;

/** Hears how a build goes. Calls come from one thread at a time and may block. */
public interface BuildLog {
  /** Where nobody listens. */
  BuildLog SILENT =
      new BuildLog() {
        @Override
        public void step(Progress progress) {}

        @Override
        public void output(String text) {}
      };

  /** Something begins. */
  void step(Progress progress);

  /** What a command printed, or a line about what goes on. */
  void output(String text);

  /**
   * @param number counts from 1
   * @param of how many there will be
   * @param cached it was done before and need not be done again
   */
  record Progress(int number, int of, String text, boolean cached) {}
}
