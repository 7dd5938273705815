package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.LayerFacts;
import dev.cove.engine.RootFs;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.file.FileRanges;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The images that nobody writes any more, and which of them the spawner has mounted. */
final class SealedImages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SealedImages.class);

  /** What a file system with blocks of 4 KiB can have, in a file of the host. */
  private static final long MAX_MEGABYTES = 8L << 20;

  private final Path folder;
  private final Spawner spawner;
  private final LayerDigests digests;

  /** With the spawner that has it; another one begins with none. */
  private final Map<LayerId, Long> mounted = new HashMap<>();

  SealedImages(Path folder, Spawner spawner) {
    this.folder = folder;
    this.spawner = spawner;
    this.digests = new LayerDigests(folder);
    UnfinishedFiles.removeFrom(folder);
    Set<LayerId> found = all();
    found.stream().filter(layer -> digests.find(layer).isEmpty()).forEach(this::forceIfMade);
    digests.begin(found);
  }

  /**
   * Sees to it that a cage can be built on the root's sealed layers.
   *
   * @throws EngineException when one is gone or damaged, or was made over other folders than the
   *     root has: its parts would come to lie over the wrong ones
   */
  void require(RootFs root) {
    verify(root);
    for (LayerId layer : root.sealed()) {
      requireOurs(layer);
      mount(layer);
    }
  }

  /** The part of {@link #require} that changes nothing. */
  void verify(RootFs root) {
    for (LayerId layer : root.sealed()) {
      if (!digests.require(layer).fits(root)) {
        throw new EngineException(
            "Layer %s was made over a root file system with other parts".formatted(layer));
      }
    }
  }

  private void requireOurs(LayerId layer) {
    if (digests.require(layer).byMachine()) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED,
          "Layer %s was written by the kernel of a virtual machine, which this host's kernel does not trust: only sandboxes of the tier microvm can have it"
              .formatted(layer));
    }
  }

  /** Where the image of a layer is. */
  Path file(LayerId layer) {
    return folder.resolve(layer.value());
  }

  /** Returns when all of it was found to be what was sealed. */
  Path verified(LayerId layer) {
    var _ = digests.await(layer);
    return folder.resolve(layer.value());
  }

  private synchronized void mount(LayerId layer) {
    if (mounted.getOrDefault(layer, 0L) != spawner.pid()) {
      spawner.call(new SpawnerRequest.Shelve(layer, true));
      mounted.put(layer, spawner.pid());
    }
  }

  /** Verifies ahead of the next {@link #require}. */
  void verifySoon(RootFs root) {
    root.sealed().forEach(digests::verifySoon);
  }

  /** Notes what a layer that is about to be made lies over. */
  void prepare(LayerId layer, RootFs root) throws IOException {
    LayerRecord.over(root, layer).write(folder);
  }

  /** The same for a layer that comes from a machine. */
  void prepareOfMachine(LayerId layer, RootFs root) throws IOException {
    LayerRecord.ofMachine(root, layer).write(folder);
  }

  /** Takes back {@link #prepare} when there is no image. */
  void removeIfNotMade(LayerId layer) {
    if (Files.notExists(folder.resolve(layer.value()))) {
      remove(layer);
    }
  }

  /** The spawner has mounted it on its own. */
  synchronized void noteMounted(LayerId layer) {
    mounted.put(layer, spawner.pid());
  }

  /** A layer was made. Returns when its image is on the disk, and its name too. */
  void sealed(LayerId layer) throws IOException {
    forceAll(layer);
    digests.sealed(layer);
  }

  /**
   * Side by side: the disk's journal takes all of them in one go, and whoever relies on it waits.
   */
  private void forceAll(LayerId layer) throws IOException {
    Path record = LayerRecord.file(folder, layer);
    var others =
        List.of(AtOnce.begin(() -> forceOrThrow(record)), AtOnce.begin(() -> forceOrThrow(folder)));
    try {
      force(folder.resolve(layer.value()));
    } finally {
      others.forEach(AtOnce::await);
    }
  }

  private static void forceOrThrow(Path file) {
    try {
      force(file);
    } catch (IOException e) {
      throw new EngineException("Could not write %s to the disk".formatted(file), e);
    }
  }

  /**
   * An earlier engine may have ended before it did this, with a sandbox that stands on the layer:
   * the next checkpoint of that one will rely on it.
   */
  private void forceIfMade(LayerId layer) {
    try {
      force(folder.resolve(layer.value()));
      force(LayerRecord.file(folder, layer));
      force(folder);
    } catch (NoSuchFileException e) {
      LOG.debug("layer {}: only begun", layer);
    } catch (IOException e) {
      throw new EngineException("Could not write layer %s to the disk".formatted(layer), e);
    }
  }

  static void force(Path file) throws IOException {
    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Also those that were only begun. */
  Set<LayerId> all() {
    var layers = new HashSet<LayerId>();
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString().replace(LayerRecord.SUFFIX, "");
        if (LayerId.isValid(name)) {
          layers.add(new LayerId(name));
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not list " + folder, e);
    }
    return layers;
  }

  LayerDescription describe(LayerId layer) {
    LayerRecord record = digests.await(layer);
    return new LayerDescription(record.digest().orElseThrow(), facts(layer).size(), record.parts());
  }

  void write(LayerId layer, OutputStream out) throws IOException {
    Path image = folder.resolve(layer.value());
    FileRanges.write(image, SparseFile.extents(image), out);
  }

  /** A layer from elsewhere: it counts once its digest has been found to be the promised one. */
  void take(LayerId layer, LayerDescription description, InputStream in) throws IOException {
    var record = new LayerRecord(layer, description.parts(), Optional.empty());
    boolean whole = false;
    try {
      record.write(folder);
      FileRanges.read(in, folder.resolve(layer.value()), description.size());
      FailPoint.IMPORT_IMAGE_WRITTEN.reached();
      String found = ImageDigest.of(folder.resolve(layer.value()), description.parts());
      if (!found.equals(description.digest())) {
        throw new EngineException(
            ErrorCode.LAYER_DAMAGED,
            "A layer has the digest %s, and should have %s".formatted(found, description.digest()));
      }
      record.with(found).replace(folder);
      whole = true;
    } finally {
      if (!whole) {
        remove(layer);
      }
    }
  }

  /**
   * Makes one layer that shows what the root's sealed layers show together. All of them have room
   * in an image that is as large as they are together, whatever they hold.
   */
  void merge(LayerId into, RootFs root, BaseImages bases) {
    require(root);
    long megabytes = root.sealed().stream().mapToLong(layer -> facts(layer).size() >> 20).sum();
    int rounded = (int) Math.min(MAX_MEGABYTES, Long.highestOneBit(Math.max(1, megabytes)) * 2);
    int parts = 1 + root.grafts().size();
    boolean whole = false;
    try {
      prepare(into, root);
      spawner.call(new SpawnerRequest.Merge(into, bases.require(rounded), parts, root.sealed()));
      sealed(into);
      whole = true;
    } catch (IOException e) {
      throw new EngineException("Could not write layer %s to the disk".formatted(into), e);
    } finally {
      if (!whole) {
        remove(into);
      }
    }
  }

  LayerFacts facts(LayerId layer) {
    Path image = folder.resolve(layer.value());
    try {
      return new LayerFacts(SparseFile.bytesOnDisk(image), Files.size(image), digests.find(layer));
    } catch (IOException e) {
      return new LayerFacts(0, 0, Optional.empty()); // only begun, or gone meanwhile
    }
  }

  /** Takes it down, so that its file may become something else. */
  synchronized void close(LayerId layer) {
    if (mounted.containsKey(layer)) {
      spawner.call(new SpawnerRequest.Shelve(layer, false));
      mounted.remove(layer);
    }
  }

  synchronized void remove(LayerId layer) {
    close(layer);
    try {
      digests.remove(layer);
    } catch (IOException e) {
      throw new EngineException("Could not remove layer " + layer, e);
    }
  }

  @Override
  public void close() {
    digests.close();
  }
}
