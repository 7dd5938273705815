package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sandboxes have written, while nothing of them runs: the image and the record of what it lies
 * over.
 *
 * <p>An image is handed out again only when no loop device shows it any more: a file system that is
 * mounted twice is a damaged one. One that was not closed in order, because the host lost its
 * power, is mended first; it has no journal.
 */
final class KeptFiles {
  private static final Logger LOG = LoggerFactory.getLogger(KeptFiles.class);
  private static final String IMAGE = "image";

  /** Where the superblock of ext4 has its state, and what it says. */
  private static final int STATE_AT = 1024 + 58;

  private static final int CLOSED_IN_ORDER = 1;
  private static final int HAS_ERRORS = 2;

  /** Flushing what a sandbox has written may take as long as the disk is slow. */
  private static final Duration FLUSH = Duration.ofSeconds(60);

  private static final Duration MENDING = Duration.ofMinutes(5);

  /** e2fsck: nothing to mend, or all of it mended. */
  private static final int MENDED = 1;

  private final EngineHome home;
  private final Sealer sealer;

  KeptFiles(EngineHome home, Sealer sealer) {
    this.home = home;
    this.sealer = sealer;
  }

  /** What the files of a sandbox lie over, where both are there. */
  Optional<RootFs> find(SandboxId id) {
    Path folder = home.sandbox(id);
    return hasFiles(folder) && !sealer.wasChanging(id) ? RootRecord.find(folder) : Optional.empty();
  }

  private static boolean hasFiles(Path folder) {
    Path image = folder.resolve(IMAGE);
    try {
      return Files.isRegularFile(image)
          ? Files.size(image) > STATE_AT
          : Files.isDirectory(folder.resolve("writable"));
    } catch (IOException e) {
      return false; // it went meanwhile
    }
  }

  /** From here on {@link #find} finds nothing, whatever else is still there. */
  void disown(SandboxId id) {
    try {
      RootRecord.remove(home.sandbox(id));
    } catch (IOException e) {
      throw new EngineException("Could not remove the record of sandbox " + id, e);
    }
  }

  /**
   * Returns when the files of a sandbox of which nothing runs are on the disk, and a layer that was
   * just being made of them is either made or not.
   */
  void settle(SandboxId id) {
    Path folder = home.sandbox(id);
    endSealing(id);
    FailPoint.HALT_SETTLED.reached();
    try {
      Path image = folder.resolve(IMAGE);
      if (Files.exists(image)) {
        SealedImages.force(image);
      }
      SealedImages.force(folder.resolve(RootRecord.FILE));
      SealedImages.force(folder);
    } catch (IOException e) {
      throw new EngineException(
          "Could not write the files of sandbox %s to the disk: %s".formatted(id, e), e);
    }
  }

  /** Ends, one way or the other, what was being done to the image when all of it ended. */
  void endSealing(SandboxId id) {
    awaitUnused(id, home.sandbox(id).resolve(IMAGE));
    sealer.settleHalted(id, sealed -> awaitUnused(id, sealed));
  }

  /** Sees to it that the image can be mounted again. */
  void prepare(SandboxId id) {
    Path image = home.sandbox(id).resolve(IMAGE);
    awaitUnused(id, image);
    try {
      if (Files.exists(image) && !isInOrder(image)) {
        LOG.warn("sandbox {}: its disk was not closed in order and is examined", id);
        mend(id, image);
      }
    } catch (IOException e) {
      throw new EngineException("Could not examine the disk of sandbox %s: %s".formatted(id, e), e);
    }
  }

  private static void awaitUnused(SandboxId id, Path image) {
    Cgroups.waitUntil(
        FLUSH,
        "the disk of sandbox " + id + " to be closed",
        () -> {
          try {
            return !LoopDevices.writableBehind(image);
          } catch (IOException e) {
            throw new EngineException("Could not see who has the disk of sandbox " + id, e);
          }
        });
  }

  static boolean isInOrder(Path image) throws IOException {
    var state = ByteBuffer.allocate(Short.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (var channel = FileChannel.open(image, StandardOpenOption.READ)) {
      if (channel.read(state, STATE_AT) != Short.BYTES) {
        return false;
      }
    }
    return (state.getShort(0) & (CLOSED_IN_ORDER | HAS_ERRORS)) == CLOSED_IN_ORDER;
  }

  /** The image was written by this host's kernel and by nobody inside. */
  private static void mend(SandboxId id, Path image) throws IOException {
    Path program =
        BaseImages.findProgram("e2fsck")
            .orElseThrow(() ->
                new EngineException(
                    ErrorCode.UNAVAILABLE,
                    "The disk of sandbox %s must be examined, and e2fsck is not there; install e2fsprogs"
                        .formatted(id)));
    Process process =
        new ProcessBuilder(program.toString(), "-f", "-y", image.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(MENDING.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new EngineException("Examining the disk of sandbox %s took too long".formatted(id));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new EngineException("Interrupted while examining the disk of sandbox " + id, e);
    }
    if (process.exitValue() > MENDED) {
      throw new EngineException(
          ErrorCode.LAYER_DAMAGED,
          "The disk of sandbox %s is damaged, and e2fsck could not mend it (status %d); its checkpoints are whole"
              .formatted(id, process.exitValue()));
    }
    LOG.info("sandbox {}: its disk was mended", id);
  }
}
