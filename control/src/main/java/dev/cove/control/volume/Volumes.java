package dev.cove.control.volume;

import dev.cove.control.layer.DiskUse;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Scope;
import dev.cove.control.volume.VolumeHolds.Access;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.VolumeMount;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.NodeVolumes;
import java.time.Clock;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes and who has them: one that writes, or any number that read. Safe for use by many threads.
 *
 * <p>A volume is made first and its row second, and goes the other way round: what is cut short
 * leaves an image that no row points to, which the next start removes.
 */
public final class Volumes {
  public static final int MAX_VOLUMES = 10_000;

  private static final String SANDBOX = "sandbox ";
  private static final Logger log = LoggerFactory.getLogger(Volumes.class);

  private final VolumeLedger rows;
  private final NodeVolumes store;
  private final Clock clock;
  private final Map<VolumeId, Volume> all = new ConcurrentHashMap<>();
  private final VolumeHolds holds = new VolumeHolds();
  private final AtomicLong calls = new AtomicLong();
  private volatile DiskQuota quota = (_, _) -> () -> {};

  public Volumes(Ledger ledger, NodeVolumes store, Clock clock) {
    this.rows = new VolumeLedger(ledger);
    this.store = store;
    this.clock = clock;
    rows.all().forEach(volume -> all.put(volume.id(), volume));
    store.keep(Map.copyOf(all).keySet());
  }

  public Volume create(String name, int sizeMb) {
    requireValid(() -> Volume.requireName(name));
    requireValid(() -> Volume.requireSize(sizeMb));
    requireRoom(name);
    VolumeId id = VolumeId.random();
    return within(
        sizeMb,
        () -> {
          store.create(id, sizeMb);
          return record(
              volume(id, Volume.Kind.VOLUME, Optional.of(name), sizeMb, Optional.empty()));
        });
  }

  /** A volume that begins with what another, or a checkpoint, holds now. */
  public Volume fork(String from, String name) {
    requireValid(() -> Volume.requireName(name));
    requireRoom(name);
    return copy(require(from), Volume.Kind.VOLUME, Optional.of(name));
  }

  /** What a volume holds now, for good. Who writes to it waits meanwhile. */
  public Volume checkpoint(String idOrName) {
    Volume source = require(idOrName);
    if (source.kind() == Volume.Kind.CHECKPOINT) {
      throw new CoveException(ErrorCode.CONFLICT, "%s never changes.".formatted(source.words()));
    }
    requireRoom("");
    return copy(source, Volume.Kind.CHECKPOINT, Optional.empty());
  }

  private Volume copy(Volume source, Volume.Kind kind, Optional<String> name) {
    return during(
        "a copy",
        source,
        Access.COPY,
        () -> {
          VolumeId id = VolumeId.random();
          return within(
              source.sizeMb(),
              () -> {
                store.copy(source.id(), id);
                return record(volume(id, kind, name, source.sizeMb(), Optional.of(source.id())));
              });
        });
  }

  private Volume volume(
      VolumeId id, Volume.Kind kind, Optional<String> name, int sizeMb, Optional<VolumeId> parent) {
    return new Volume(id, Scope.here(), kind, name, sizeMb, Micros.now(clock), parent);
  }

  private Volume record(Volume volume) {
    boolean recorded = false;
    try {
      FailPoint.VOLUME_NAMED.reached();
      rows.insert(volume);
      FailPoint.VOLUME_RECORDED.reached();
      recorded = true;
    } finally {
      if (!recorded) {
        discard(volume.id());
      }
    }
    all.put(volume.id(), volume);
    log.info("volume {} made", volume.id());
    return volume;
  }

  private void discard(VolumeId id) {
    try {
      store.remove(id);
    } catch (CoveException e) {
      log.warn("volume {}: its image is left for the next start", id, e);
    }
  }

  /** Refuses while anybody has it. */
  public void delete(String idOrName) {
    Volume volume = require(idOrName);
    during(
        "its deletion",
        volume,
        Access.DELETE,
        () -> {
          rows.remove(volume.id());
          FailPoint.VOLUME_FORGOTTEN.reached();
          all.remove(volume.id());
          discard(volume.id());
          log.info("volume {} gone", volume.id());
          return true;
        });
  }

  /** Those that concern the caller and are no checkpoints, the oldest first. */
  public List<Volume> list() {
    return sorted().stream().filter(volume -> volume.kind() == Volume.Kind.VOLUME).toList();
  }

  /** Also those of a volume that is gone, if it is asked for by id. */
  public List<Volume> checkpointsOf(String idOrName) {
    VolumeId parent = VolumeId.isValid(idOrName) ? new VolumeId(idOrName) : require(idOrName).id();
    List<Volume> found =
        sorted().stream()
            .filter(volume -> volume.kind() == Volume.Kind.CHECKPOINT)
            .filter(volume -> volume.parent().equals(Optional.of(parent)))
            .toList();
    if (found.isEmpty()) {
      require(idOrName);
    }
    return found;
  }

  private List<Volume> sorted() {
    return all.values().stream()
        .filter(volume -> Scope.covers(volume.project()))
        .sorted(Comparator.comparing(Volume::createdAt).thenComparing(Volume::id))
        .toList();
  }

  public Volume require(String idOrName) {
    return all.values().stream()
        .filter(volume -> isMeant(volume, idOrName))
        .findFirst()
        .orElseThrow(() -> new CoveException(ErrorCode.NOT_FOUND, "There is no such volume."));
  }

  /** Of all that a project has, checkpoints included. */
  public long sizeMb(ProjectName project) {
    return all.values().stream()
        .filter(volume -> volume.project().equals(project))
        .mapToLong(Volume::sizeMb)
        .sum();
  }

  /** Whoever keeps projects within their quotas: a share that is given back once it is made. */
  @FunctionalInterface
  public interface DiskQuota {
    AutoCloseable hold(ProjectName project, int sizeMb);
  }

  public void limit(DiskQuota wanted) {
    quota = wanted;
  }

  private Volume within(int sizeMb, Supplier<Volume> make) {
    AutoCloseable hold = quota.hold(Scope.here(), sizeMb);
    try {
      return make.get();
    } finally {
      try {
        hold.close();
      } catch (Exception e) {
        log.warn("A share of a quota could not be given back", e);
      }
    }
  }

  private static boolean isMeant(Volume volume, String idOrName) {
    return volume.id().value().equals(idOrName)
        ? Scope.covers(volume.project())
        : isNamed(volume, idOrName);
  }

  /** By the caller, that is. */
  private static boolean isNamed(Volume volume, String name) {
    return volume.project().equals(Scope.here()) && volume.name().equals(Optional.of(name));
  }

  /** What each takes on the disk, checkpoints included. */
  public List<DiskUse.Share> diskUse() {
    return all.values().stream()
        .map(volume -> DiskUse.Share.alone("volume", volume.id().value(), bytes(volume)))
        .toList();
  }

  /** What it takes on the disk. */
  public long bytes(Volume volume) {
    return store.bytes(volume.id());
  }

  /** The sandboxes that have it. */
  public List<String> mountedBy(Volume volume) {
    return holds.holdersOf(volume.id()).stream()
        .map(holder -> holder.substring(SANDBOX.length()))
        .toList();
  }

  /** Finds what a new sandbox is to have. */
  public List<VolumeMount> resolve(List<VolumeWish> wishes) {
    return wishes.stream().map(this::resolve).toList();
  }

  private VolumeMount resolve(VolumeWish wish) {
    Volume volume = require(wish.volume());
    requireWritable(volume, wish.readOnly());
    try {
      return new VolumeMount(volume.id(), wish.target(), wish.readOnly());
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }

  private static void requireWritable(Volume volume, boolean readOnly) {
    if (volume.kind() == Volume.Kind.CHECKPOINT && !readOnly) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "%s never changes; mount it read-only, or fork it and write to the fork."
              .formatted(volume.words()));
    }
  }

  /** Before anything is built that has them; {@link #release} must follow. */
  public void claim(SandboxId sandbox, List<VolumeMount> mounts) {
    if (mounts.isEmpty()) {
      return;
    }
    holds.take(holder(sandbox), accesses(mounts), false);
    for (VolumeMount mount : mounts) {
      if (!all.containsKey(mount.volume())) {
        release(sandbox);
        throw new CoveException(ErrorCode.NOT_FOUND, "There is no such volume.");
      }
    }
  }

  /** A sandbox that was there before this process may still have them. */
  public void adopt(SandboxId sandbox, List<VolumeMount> mounts) {
    holds.adopt(holder(sandbox), accesses(mounts));
  }

  /** Nothing of the sandbox is left, or it never had any. */
  public void release(SandboxId sandbox) {
    holds.release(holder(sandbox));
  }

  private static String holder(SandboxId sandbox) {
    return SANDBOX + sandbox;
  }

  private static Map<VolumeId, Access> accesses(List<VolumeMount> mounts) {
    var accesses = new HashMap<VolumeId, Access>();
    mounts.forEach(
        mount -> accesses.put(mount.volume(), mount.readOnly() ? Access.READ : Access.WRITE));
    return accesses;
  }

  /** Reaches into a volume that no sandbox has in a way that forbids it. */
  public OpenVolume open(String idOrName, boolean readOnly) {
    Volume volume = require(idOrName);
    requireWritable(volume, readOnly);
    String holder = begin("a file call", volume, readOnly ? Access.READ : Access.WRITE);
    boolean opened = false;
    try {
      var open = new OpenVolume(store.open(volume.id(), readOnly), () -> holds.release(holder));
      opened = true;
      return open;
    } finally {
      if (!opened) {
        holds.release(holder);
      }
    }
  }

  private interface Work<T> {
    T run();
  }

  private <T> T during(String what, Volume volume, Access access, Work<T> work) {
    String holder = begin(what, volume, access);
    try {
      return work.run();
    } finally {
      holds.release(holder);
    }
  }

  private String begin(String what, Volume volume, Access access) {
    String holder = what + " (call " + calls.incrementAndGet() + ")";
    holds.take(holder, Map.of(volume.id(), access), true);
    if (!all.containsKey(volume.id())) {
      holds.release(holder);
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such volume.");
    }
    return holder;
  }

  private void requireRoom(String name) {
    if (all.size() >= MAX_VOLUMES) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "There are too many volumes and checkpoints of them; delete some.");
    }
    if (all.values().stream().anyMatch(volume -> isNamed(volume, name))) {
      throw new CoveException(ErrorCode.CONFLICT, "The name is taken; choose another.");
    }
  }

  private static void requireValid(Runnable rule) {
    try {
      rule.run();
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }
}
