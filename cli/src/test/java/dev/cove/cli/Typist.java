package dev.cove.cli;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Somebody at a terminal, who types some of it before it is asked for. */
final class Typist implements Terminal {
  private final byte[] keys;
  private final int early;
  private boolean shown = true;
  private boolean everShown;

  Typist(String early, String later) {
    this.keys = (early + later).getBytes(StandardCharsets.UTF_8);
    this.early = early.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Whether the terminal showed any of what was typed. */
  boolean everShown() {
    return everShown;
  }

  /** Whether the terminal is as it was at first. */
  boolean shown() {
    return shown;
  }

  InputStream keyboard() {
    return new ByteArrayInputStream(keys) {
      @Override
      public synchronized int available() {
        return Math.max(0, early - pos);
      }

      @Override
      public synchronized int read() {
        everShown |= shown;
        return super.read();
      }

      @Override
      public synchronized int read(byte[] buffer, int offset, int length) {
        everShown |= shown;
        return super.read(buffer, offset, length);
      }
    };
  }

  @Override
  public boolean isInput() {
    return true;
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
    shown = false;
    return () -> shown = true;
  }
}
