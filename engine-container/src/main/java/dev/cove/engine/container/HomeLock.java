package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Held while an engine works on a home: two would take each other's cages apart. */
final class HomeLock implements AutoCloseable {
  private final FileChannel channel;

  private HomeLock(FileChannel channel) {
    this.channel = channel;
  }

  /** The kernel lets go of it with the process, however that ends. */
  static HomeLock take(Path file) {
    try {
      var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (channel.tryLock() != null) {
          return new HomeLock(channel);
        }
      } catch (OverlappingFileLockException e) {
        channel.close();
        throw new EngineException("This process has an engine on %s already".formatted(file), e);
      }
      channel.close();
      throw new EngineException("Another process has an engine on the home of " + file);
    } catch (IOException e) {
      throw new EngineException("Could not lock " + file, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new EngineException("Could not give up the lock of the engine's home", e);
    }
  }
}
