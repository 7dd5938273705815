package dev.cove.node;

import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.RootFs;
import dev.cove.engine.Store;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.VolumeMount;
import dev.cove.node.admission.Admission;
import dev.cove.node.supervisor.SandboxSupervisor;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes of this machine's store. What is in one is reached through a cage that has the volume and
 * no other file, so that links in it lead nowhere.
 */
final class LocalVolumes implements NodeVolumes {
  private static final Logger LOG = LoggerFactory.getLogger(LocalVolumes.class);
  private static final Resources ENOUGH = new Resources(1_000, 256, Resources.DEFAULT.diskMb(), 64);

  private final Engine engine;
  private final Store store;
  private final Admission admission;
  private final Supplier<RootFs> nothing;
  private final LongConsumer requireSpace;

  /**
   * @param nothing a root file system without files
   * @param requireSpace refuses when the disk would be too full with so many bytes more
   */
  LocalVolumes(
      Engines engines, Admission admission, Supplier<RootFs> nothing, LongConsumer requireSpace) {
    this.engine = engines.own();
    this.store = engines.store();
    this.admission = admission;
    this.nothing = nothing;
    this.requireSpace = requireSpace;
  }

  @Override
  public void create(VolumeId volume, int sizeMb) {
    requireSpace.accept(0);
    store.createVolume(volume, sizeMb);
  }

  @Override
  public void copy(VolumeId from, VolumeId to) {
    requireSpace.accept(store.volumeBytes(from));
    store.copyVolume(from, to);
  }

  @Override
  public long bytes(VolumeId volume) {
    return store.volumeBytes(volume);
  }

  @Override
  public void keep(Set<VolumeId> recorded) {
    for (VolumeId volume : store.volumes()) {
      if (!recorded.contains(volume)) {
        store.removeVolume(volume);
        LOG.info("volume {}: removed, nobody knows it", volume);
      }
    }
  }

  @Override
  public void remove(VolumeId volume) {
    store.removeVolume(volume);
  }

  @Override
  public Open open(VolumeId volume, boolean readOnly) {
    admission.requireFits(ENOUGH.memoryMb());
    admission.enter(ENOUGH.memoryMb());
    boolean opened = false;
    try {
      Open open = new InCage(start(volume, readOnly));
      opened = true;
      return open;
    } finally {
      if (!opened) {
        admission.leave(ENOUGH.memoryMb());
      }
    }
  }

  private SandboxSupervisor start(VolumeId volume, boolean readOnly) {
    var mount = new VolumeMount(volume, Open.FOLDER, readOnly);
    var plan = new CagePlan(SandboxId.random(), nothing.get(), ENOUGH, List.of(mount));
    var cage = engine.start(plan);
    try {
      return SandboxSupervisor.of(
          cage,
          Optional.empty(),
          (_, reason, _) -> {
            LOG.warn("volume {}: lost: {}", volume, reason.publicName());
            engine.remove(plan.id());
          });
    } catch (CoveException e) {
      cage.destroy();
      throw e;
    }
  }

  private final class InCage implements Open {
    private final SandboxSupervisor supervisor;

    InCage(SandboxSupervisor supervisor) {
      this.supervisor = supervisor;
    }

    @Override
    public Guest guest() {
      return supervisor.guest();
    }

    @Override
    public void close() {
      try {
        supervisor.remove();
      } finally {
        admission.leave(ENOUGH.memoryMb());
      }
    }
  }
}
