package dev.cove.control.build;

import java.time.Duration;

/** Runs something unless it is closed in time. */
final class Deadline implements AutoCloseable {
  private final Thread thread;

  private Deadline(Thread thread) {
    this.thread = thread;
  }

  static Deadline of(Duration duration, Runnable whenOver) {
    return new Deadline(
        Thread.ofVirtual()
            .name("build-deadline")
            .start(() -> {
              try {
                Thread.sleep(duration);
                whenOver.run();
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
            }));
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
