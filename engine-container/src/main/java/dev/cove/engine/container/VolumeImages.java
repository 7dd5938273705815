package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.ErrorCode;
import dev.cove.model.VolumeId;
import dev.cove.model.VolumeMount;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images of volumes.
 *
 * <p>An image must never be behind two loop devices: their file systems would not know of each
 * other. So whoever is about to use a volume holds its lock from the moment at which it looks for
 * the device until it has one.
 */
final class VolumeImages {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeImages.class);

  /**
   * With a journal, unlike a sandbox's own disk. It need not be written with zeros: the file is one
   * great hole.
   */
  private static final List<String> OPTIONS =
      List.of(
          "-q",
          "-F",
          "-b",
          "4096",
          "-m",
          "0",
          "-O",
          "has_journal,^resize_inode,sparse_super2",
          "-E",
          "num_backup_sb=0,lazy_itable_init=1,lazy_journal_init=1,nodiscard",
          "-i",
          "16384");

  private final Path folder;
  private final Spawner spawner;
  private final Map<VolumeId, ReentrantLock> locks = new ConcurrentHashMap<>();

  VolumeImages(Path folder, Spawner spawner) {
    this.folder = folder;
    this.spawner = spawner;
    UnfinishedFiles.removeFrom(folder);
    thawAll();
  }

  /** A mount and the loop device at which its volume is already in use, or -1. */
  record Attachment(VolumeMount mount, int loopDevice) {}

  /** An earlier engine may have died while it copied one. */
  private void thawAll() {
    for (VolumeId volume : all()) {
      try {
        if (loopDevice(volume) >= 0) {
          spawner.call(new SpawnerRequest.ThawVolume(volume, loopDevice(volume)));
        }
      } catch (SpawnerRefusedException | EngineException e) {
        LOG.warn("volume {}: could not be thawed", volume, e);
      }
    }
  }

  void create(VolumeId volume, int sizeMb) {
    Path fresh = folder.resolve(volume + UnfinishedFiles.SUFFIX);
    try {
      Files.createFile(fresh);
      try (var file = new RandomAccessFile(fresh.toFile(), "rw")) {
        file.setLength(sizeMb * 1024L * 1024L);
      }
      BaseImages.mkfs(fresh, OPTIONS);
      FailPoint.VOLUME_FORMATTED.reached();
      publish(fresh, volume);
    } catch (IOException e) {
      discard(fresh);
      throw new EngineException("Could not make volume %s: %s".formatted(volume, e), e);
    } catch (EngineException e) {
      discard(fresh);
      throw e;
    }
  }

  /** Returns when the image is on the disk, and its name too. */
  private void publish(Path fresh, VolumeId volume) throws IOException {
    if (Files.exists(image(volume))) {
      throw new FileAlreadyExistsException(image(volume).toString());
    }
    SealedImages.force(fresh);
    Files.move(fresh, image(volume), StandardCopyOption.ATOMIC_MOVE);
    SealedImages.force(folder);
  }

  private static void discard(Path fresh) {
    try {
      Files.deleteIfExists(fresh);
    } catch (IOException e) {
      LOG.warn("{} could not be deleted; the next start does it", fresh, e);
    }
  }

  void copy(VolumeId from, VolumeId to) {
    Path fresh = folder.resolve(to + UnfinishedFiles.SUFFIX);
    locked(
        List.of(from),
        () -> {
          requireThere(from);
          int device = loopDevice(from);
          try {
            spawner.call(new SpawnerRequest.CopyVolume(from, device, to + UnfinishedFiles.SUFFIX));
            FailPoint.VOLUME_COPIED.reached();
            publish(fresh, to);
            return true;
          } catch (SpawnerRefusedException | EngineException | IOException e) {
            thaw(from, device);
            discard(fresh);
            throw new EngineException(
                "Could not copy volume %s: %s".formatted(from, e.getMessage()), e);
          }
        });
  }

  private void thaw(VolumeId volume, int device) {
    if (device >= 0) {
      try {
        spawner.call(new SpawnerRequest.ThawVolume(volume, device));
      } catch (SpawnerRefusedException e) {
        LOG.error("volume {}: could not be thawed", volume, e);
      }
    }
  }

  /** Does something that brings the volumes of these mounts into use. */
  <T> T attaching(List<VolumeMount> mounts, Function<List<Attachment>, T> work) {
    if (mounts.isEmpty()) {
      return work.apply(List.of());
    }
    return locked(
        mounts.stream().map(VolumeMount::volume).sorted().toList(),
        () -> {
          var attachments = new ArrayList<Attachment>();
          for (VolumeMount mount : mounts) {
            requireThere(mount.volume());
            attachments.add(new Attachment(mount, loopDevice(mount.volume())));
          }
          return work.apply(attachments);
        });
  }

  private interface Work<T> {
    T run();
  }

  /** Each in the order of ids, so that nobody waits in a circle. */
  private <T> T locked(List<VolumeId> volumes, Work<T> work) {
    if (volumes.isEmpty()) {
      return work.run();
    }
    ReentrantLock lock = locks.computeIfAbsent(volumes.getFirst(), _ -> new ReentrantLock());
    lock.lock();
    try {
      return locked(volumes.subList(1, volumes.size()), work);
    } finally {
      lock.unlock();
    }
  }

  private void requireThere(VolumeId volume) {
    if (!Files.exists(image(volume))) {
      throw new EngineException(ErrorCode.NOT_FOUND, "Volume %s is not there".formatted(volume));
    }
  }

  private int loopDevice(VolumeId volume) {
    try {
      return LoopDevices.behind(image(volume)).orElse(-1);
    } catch (IOException e) {
      throw new EngineException("Could not see whether volume %s is in use".formatted(volume), e);
    }
  }

  Set<VolumeId> all() {
    var volumes = new HashSet<VolumeId>();
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (VolumeId.isValid(name)) {
          volumes.add(new VolumeId(name));
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not list " + folder, e);
    }
    return volumes;
  }

  long bytes(VolumeId volume) {
    try {
      return SparseFile.bytesOnDisk(image(volume));
    } catch (IOException e) {
      return 0; // it went meanwhile
    }
  }

  void remove(VolumeId volume) {
    try {
      Files.deleteIfExists(image(volume));
      locks.remove(volume);
    } catch (IOException e) {
      throw new EngineException("Could not remove volume " + volume, e);
    }
  }

  private Path image(VolumeId volume) {
    return folder.resolve(volume.value());
  }
}
