package dev.cove.engine.microvm;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.channels.Channel;
import java.time.Duration;

/**
 * Closes a channel after a while, so that whoever waits for a machine that says nothing hears of
 * it.
 */
final class Patience implements AutoCloseable {
  private final Thread alarm;

  Patience(Channel channel, Duration patience) {
    this.alarm =
        Thread.ofVirtual().name("machine-patience").start(() -> closeAfter(channel, patience));
  }

  private static void closeAfter(Channel channel, Duration patience) {
    try {
      Thread.sleep(patience);
      channel.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody waits any more
    } catch (IOException e) {
      throw new EngineException("A socket could not be closed", e);
    }
  }

  @Override
  public void close() {
    alarm.interrupt();
  }
}
