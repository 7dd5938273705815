package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.Engine;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.SandboxId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What is left of cages whose processes have ended: put in order for whoever goes on with it, or
 * taken away.
 */
final class CageRemains implements ContainerCage.Remains, ContainerCage.Halted {
  private final EngineHome home;
  private final SandboxFolders folders;
  private final Cgroups cgroups;
  private final IdRanges ids;
  private final KeptFiles keptFiles;
  private final String bootId;
  private final Map<SandboxId, Cage> cages;
  private volatile Engine.EndListener listener = (_, _) -> {};

  /**
   * @param cages those that stand; whoever is taken away leaves it
   */
  CageRemains(
      EngineHome home,
      Cgroups cgroups,
      IdRanges ids,
      KeptFiles keptFiles,
      String bootId,
      Map<SandboxId, Cage> cages) {
    this.home = home;
    this.folders = new SandboxFolders(home);
    this.cgroups = cgroups;
    this.ids = ids;
    this.keptFiles = keptFiles;
    this.bootId = bootId;
    this.cages = cages;
  }

  void onEnd(Engine.EndListener newListener) {
    listener = newListener;
  }

  Optional<RootFs> halt(SandboxId id) {
    var cage = cages.get(id);
    if (cage != null) {
      cage.halt();
      return keptFiles.find(id);
    }
    cgroups.killAll(id);
    CageRecord record = CageRecord.find(home.sandbox(id)).orElse(CageRecord.unknown());
    keptFiles.endSealing(id);
    if (keptFiles.find(id).isEmpty()) {
      remove(id, record);
      return Optional.empty();
    }
    settle(id, record);
    return keptFiles.find(id);
  }

  /** The record goes last: it says whose ids are in use. */
  @Override
  public void settle(SandboxId id, CageRecord record) {
    removeGroups(id, record);
    keptFiles.settle(id);
    try {
      for (Path socket : home.sockets(id)) {
        Files.deleteIfExists(socket);
      }
      Files.deleteIfExists(home.sandbox(id).resolve(SandboxFolders.VOLUMES));
      Files.deleteIfExists(home.sandbox(id).resolve(SandboxFolders.CONFIG));
      CageRecord.remove(home.sandbox(id));
    } catch (IOException e) {
      throw new EngineException("Could not put the files of sandbox %s in order".formatted(id), e);
    }
    forget(id, record);
  }

  /** With the groups goes what they have counted: whoever keeps account of it hears first. */
  private void removeGroups(SandboxId id, CageRecord record) {
    cgroups.count(id, record).ifPresent(count -> listener.ended(id, count));
    FailPoint.CAGE_COUNTED.reached();
    cgroups.remove(id);
  }

  void haltAfterFailure(SandboxId id, CageRecord record, Exception why) {
    try {
      cgroups.killAll(id);
      settle(id, record);
    } catch (EngineException e) {
      why.addSuppressed(e); // halt() finds it later
    }
  }

  @Override
  public void disown(SandboxId id) {
    keptFiles.disown(id);
  }

  void remove(SandboxId id) {
    var cage = cages.get(id);
    if (cage != null) {
      cage.destroy();
      return;
    }
    cgroups.killAll(id);
    remove(id, CageRecord.find(home.sandbox(id)).orElse(CageRecord.unknown()));
  }

  void removeAfterFailure(SandboxId id, CageRecord record, Exception why) {
    try {
      cgroups.killAll(id);
      remove(id, record);
    } catch (EngineException e) {
      why.addSuppressed(e); // remove() finds it later: the folder is still there
    }
  }

  @Override
  public void remove(SandboxId id, CageRecord record) {
    removeGroups(id, record);
    FailPoint.CAGE_UNLIMITED.reached();
    folders.remove(id);
    FailPoint.CAGE_REMOVED.reached();
    forget(id, record);
  }

  private void forget(SandboxId id, CageRecord record) {
    cages.remove(id);
    if (record.bootId().equals(bootId)) {
      ids.release(record.firstId());
    }
  }
}
