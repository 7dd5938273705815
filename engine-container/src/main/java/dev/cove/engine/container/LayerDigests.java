package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that sealed layers are what they were when they were sealed.
 *
 * <p>A layer gets its digest in the background, when nothing can write to its image any more. Its
 * first user in an engine's life waits until all of it was read and found right; the next ones only
 * look whether its files were touched since.
 */
final class LayerDigests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LayerDigests.class);
  private static final Duration SOON = Duration.ofMillis(200);
  private static final Duration LATER = Duration.ofSeconds(1);
  private static final Duration MUCH_LATER = Duration.ofMinutes(1);
  private static final int READERS = 2;
  private static final int CLOSE_SECONDS = 10;
  private static final int AWAIT_SECONDS = 60;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  private final Path folder;
  private final Map<LayerId, State> states = new ConcurrentHashMap<>();
  private final Set<LayerId> queued = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService background;
  private final ThreadPoolExecutor readers;

  /** What is known of one layer; guarded by itself. */
  private static final class State {
    /** Sealed in this engine's life: there was no time yet in which it could decay. */
    private boolean fresh;

    private boolean removed;
    private volatile @Nullable LayerRecord record;
    private @Nullable FileState file;

    private void remember(LayerRecord seenRecord, FileState seenFile) {
      record = seenRecord;
      file = seenFile;
      fresh = false;
    }
  }

  LayerDigests(Path folder) {
    this.folder = folder;
    ThreadFactory threads = Thread.ofPlatform().daemon().name("cove-layer-digest-", 0).factory();
    this.background = Executors.newSingleThreadScheduledExecutor(threads);
    this.readers =
        new ThreadPoolExecutor(
            READERS, READERS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
    readers.allowCoreThreadTimeOut(true);
  }

  /** Goes after the digests that an earlier engine did not come to. */
  void begin(Set<LayerId> layers) {
    layers.forEach(layer -> examineIn(Duration.ZERO, layer, this::digestIfPending));
  }

  /** A layer was sealed: it can be used at once, and gets its digest soon. */
  void sealed(LayerId layer) {
    State state = state(layer);
    synchronized (state) {
      state.fresh = true;
    }
    examineIn(SOON, layer, this::digestIfPending);
  }

  /** Verifies a layer ahead of its next use. */
  void verifySoon(LayerId layer) {
    examineIn(Duration.ZERO, layer, this::require);
  }

  private State state(LayerId layer) {
    return states.computeIfAbsent(layer, _ -> new State());
  }

  private Path image(LayerId layer) {
    return folder.resolve(layer.value());
  }

  private interface Examination {
    void examine(LayerId layer);
  }

  private void examineIn(Duration delay, LayerId layer, Examination examination) {
    if (!queued.add(layer)) {
      return;
    }
    Runnable work =
        () -> {
          queued.remove(layer);
          try {
            examination.examine(layer);
          } catch (EngineException e) {
            LOG.warn("layer {}: {}", layer, e.getMessage());
          } catch (RuntimeException e) {
            LOG.error("layer {}: could not be examined", layer, e);
          }
        };
    try {
      ScheduledFuture<?> _ = background.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      queued.remove(layer); // closed: the next engine finds it
    }
  }

  private void digestIfPending(LayerId layer) {
    try {
      if (!digested(layer)) {
        examineIn(LATER, layer, this::digestIfPending);
      }
    } catch (NoSuchFileException e) {
      LOG.debug("layer {}: gone before it had a digest", layer);
    } catch (IOException e) {
      if (!background.isShutdown()) {
        LOG.warn("layer {}: no digest yet: {}", layer, e.getMessage());
        examineIn(MUCH_LATER, layer, this::digestIfPending);
      }
    }
  }

  /** The spawner takes away the right to write when it has closed an image's file system. */
  private static boolean mayBeWritten(Path image) throws IOException {
    return Files.getPosixFilePermissions(image).contains(PosixFilePermission.OWNER_WRITE)
        && LoopDevices.writableBehind(image);
  }

  /** False when it is too early. */
  private boolean digested(LayerId layer) throws IOException {
    State state = state(layer);
    LayerRecord record = LayerRecord.read(folder, layer);
    if (record.digest().isPresent()) {
      return true;
    }
    Path image = image(layer);
    FileState before = FileState.of(image);
    if (!before.settled() || mayBeWritten(image)) {
      return false;
    }
    SealedImages.force(image); // also what its file system wrote when it was closed
    String digest = ImageDigest.of(image, record.parts());
    synchronized (state) {
      if (state.removed) {
        return true;
      }
      if (!FileState.of(image).equals(before)) {
        return false;
      }
      LayerRecord complete = record.with(digest);
      complete.replace(folder);
      state.remember(complete, before);
      return true;
    }
  }

  /**
   * Waits for the digest of a layer that was sealed a moment ago, and verifies it.
   *
   * @throws EngineException LAYER_DAMAGED when its files are not what was sealed
   */
  LayerRecord await(LayerId layer) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(AWAIT_SECONDS);
    try {
      while (!digested(layer)) {
        if (System.nanoTime() > deadline) {
          throw new EngineException(
              "Layer %s is still being written to; try again".formatted(layer));
        }
        Thread.sleep(BETWEEN_LOOKS);
      }
    } catch (IOException e) {
      throw damaged(layer, "it cannot be read", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("Interrupted while layer %s was verified".formatted(layer), e);
    }
    return require(layer);
  }

  /**
   * Returns when a layer may be used. Whoever asks for the same layer meanwhile waits for the same
   * answer.
   *
   * @throws EngineException LAYER_DAMAGED when its files are not what was sealed
   */
  LayerRecord require(LayerId layer) {
    State state = state(layer);
    synchronized (state) {
      try {
        return require(layer, state);
      } catch (NoSuchFileException e) {
        throw missing(layer, e);
      } catch (IOException e) {
        throw damaged(layer, "it cannot be read", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new EngineException("Interrupted while layer %s was verified".formatted(layer), e);
      } catch (RejectedExecutionException e) {
        throw new EngineException("The engine is closed", e);
      }
    }
  }

  private LayerRecord require(LayerId layer, State state) throws IOException, InterruptedException {
    LayerRecord record = LayerRecord.read(folder, layer);
    FileState now = FileState.of(image(layer));
    if (record.equals(state.record) && now.equals(state.file)) {
      return record;
    }
    if (record.digest().isEmpty()) {
      return firstDigest(record, now, state);
    }
    if (!hash(record).equals(record.digest().get())) {
      throw damaged(layer, "its content is not what was sealed");
    }
    remember(record, now, state);
    return record;
  }

  /** What an engine left without a digest when it ended is believed to be what it had sealed. */
  private LayerRecord firstDigest(LayerRecord record, FileState now, State state)
      throws IOException, InterruptedException {
    LayerId layer = record.layer();
    if (state.record != null) {
      throw damaged(layer, "its record has lost the digest");
    }
    if (state.fresh || mayBeWritten(image(layer))) {
      return record;
    }
    LayerRecord complete = record.with(hash(record));
    try {
      complete.replace(folder);
    } catch (IOException e) {
      LOG.warn("layer {}: its digest could not be written", layer, e);
      return record;
    }
    remember(complete, now, state);
    return complete;
  }

  private String hash(LayerRecord record) throws IOException, InterruptedException {
    return ImageDigest.of(image(record.layer()), record.parts(), readers, READERS);
  }

  /** A file that changed a moment ago may change again and look the same: it is read again then. */
  private void remember(LayerRecord record, FileState read, State state) throws IOException {
    if (!FileState.of(image(record.layer())).equals(read)) {
      throw damaged(record.layer(), "somebody writes to it");
    }
    if (read.settled()) {
      state.remember(record, read);
    }
  }

  private EngineException missing(LayerId layer, IOException cause) {
    boolean image = Files.exists(image(layer));
    boolean record = Files.exists(LayerRecord.file(folder, layer));
    if (image == record) {
      return new EngineException("Layer %s is not on this host".formatted(layer), cause);
    }
    return damaged(layer, image ? "its record is gone" : "its image is gone", cause);
  }

  private static EngineException damaged(LayerId layer, String what) {
    LOG.warn("layer {}: damaged: {}", layer, what);
    return new EngineException(ErrorCode.LAYER_DAMAGED, message(layer, what));
  }

  private static EngineException damaged(LayerId layer, String what, Exception cause) {
    LOG.warn("layer {}: damaged: {}", layer, what, cause);
    return new EngineException(ErrorCode.LAYER_DAMAGED, message(layer, what), cause);
  }

  private static String message(LayerId layer, String what) {
    return "Layer %s is damaged: %s. What was made of it cannot be used any more; delete it, or put"
            .formatted(layer, what)
        + " the layer's files back from a backup of the server's data folder.";
  }

  /** What a layer's record says; nothing when it has no digest yet, or is damaged. */
  Optional<String> find(LayerId layer) {
    State state = states.get(layer);
    LayerRecord known = state == null ? null : state.record;
    if (known != null) {
      return known.digest();
    }
    try {
      return LayerRecord.read(folder, layer).digest();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Removes a layer's files, and sees to it that its record does not come back. */
  void remove(LayerId layer) throws IOException {
    State state = state(layer);
    synchronized (state) {
      Files.deleteIfExists(image(layer));
      FailPoint.LAYER_IMAGE_REMOVED.reached();
      Files.deleteIfExists(LayerRecord.file(folder, layer));
      state.removed = true;
    }
    states.remove(layer, state);
  }

  @Override
  public void close() {
    background.shutdownNow();
    readers.shutdown();
    try {
      if (!background.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("A layer is still being read");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
