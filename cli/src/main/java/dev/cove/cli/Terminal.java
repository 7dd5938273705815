package dev.cove.cli;

import java.util.Optional;

/** The terminal we were started in, if any. */
interface Terminal {
  /** Its size in characters. */
  record Size(int rows, int cols) {}

  boolean isInput();

  boolean isOutput();

  Optional<Size> findSize();

  /**
   * Hands every key to us instead of acting on it. Closing the result puts the terminal back; so
   * does the end of this process, unless nothing can (kill -9).
   */
  Mode enterRawMode();

  /** Does not show what is typed. Closing the result puts the terminal back, as after raw mode. */
  Mode hideInput();

  /** How the terminal behaves for now; ending it twice is harmless. */
  interface Mode extends AutoCloseable {
    @Override
    void close();
  }

  /** No terminal at all. */
  Terminal NONE =
      new Terminal() {
        @Override
        public boolean isInput() {
          return false;
        }

        @Override
        public boolean isOutput() {
          return false;
        }

        @Override
        public Optional<Size> findSize() {
          return Optional.empty();
        }

        @Override
        public Mode enterRawMode() {
          return () -> {};
        }

        @Override
        public Mode hideInput() {
          return () -> {};
        }
      };
}
