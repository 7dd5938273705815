package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes layers of what sandboxes write.
 *
 * <p>A move goes through: a note of it in the sandbox's folder; the image flushed and renamed; the
 * sandbox's root changed; what it stands on written down; the note removed. Whoever finds the note
 * later either takes the move back or writes down that it happened.
 */
final class Sealer {
  private static final Logger LOG = LoggerFactory.getLogger(Sealer.class);
  private static final String NOTE = "sealing";
  private static final String IMAGE = "image";

  /** There while a root is being changed: what its sandbox stands on is not known then. */
  private static final String CHANGING = "changing";

  /** A spare image on its way to become the sandbox's, as the spawner calls it. */
  private static final String NEXT_IMAGE = "image.next";

  private final EngineHome home;
  private final Spawner spawner;
  private final Cgroups cgroups;
  private final SealedImages images;

  Sealer(EngineHome home, Spawner spawner, Cgroups cgroups, SealedImages images) {
    this.home = home;
    this.spawner = spawner;
    this.cgroups = cgroups;
    this.images = images;
  }

  /** A sandbox as it stands after a layer was made, which is not yet sure to be on the disk. */
  record Outcome(Sealing sealing, CageRecord.Running running, RootFs root) {}

  /**
   * @param paused whether the sandbox stood still before and is to stand still afterwards
   */
  Outcome seal(
      SpawnerRequest.Start standing,
      CageRecord.Running running,
      LayerId layer,
      boolean agentIdle,
      boolean paused) {
    var flushed =
        AtOnce.begin(() -> call(SpawnerRequest.OnImage.Work.SYNC, standing.id(), running, layer));
    try {
      try {
        images.require(standing.root());
        prepare(layer, standing.root());
      } finally {
        flushed.await();
      }
      FailPoint.SEAL_PREPARED.reached();
      return frozen(standing, running, layer, agentIdle, paused);
    } catch (EngineException e) {
      images.removeIfNotMade(layer);
      throw e;
    }
  }

  /**
   * Puts a sandbox in which nothing but the agent runs on another root, with nothing written.
   *
   * @return nothing where this cannot be done, or was not done to its end: then the cage is only
   *     good for being destroyed
   * @throws EngineException when a layer is damaged; then nothing has changed
   */
  Optional<CageRecord.Running> change(SpawnerRequest.Start next, CageRecord.Running running) {
    SandboxId id = next.id();
    Path folder = home.sandbox(id);
    images.require(next.root());
    try {
      cgroups.freeze(id);
      if (!cgroups.processes(id).equals(Set.of((long) running.process().pid()))) {
        return Optional.empty();
      }
      Files.createFile(folder.resolve(CHANGING));
      HiddenPaths.write(folder, next.root().workspaces());
      FailPoint.CHANGE_NOTED.reached();
      long[] made = spawner.call(new SpawnerRequest.ChangeRoot(running, next));
      FailPoint.CHANGE_MADE.reached();
      var now = new CageRecord.Running(running.process(), (int) made[0]);
      RootRecord.write(folder, next.root());
      CageRecord.writeRunning(folder, now);
      FailPoint.CHANGE_WRITTEN.reached();
      Files.delete(folder.resolve(CHANGING));
      return Optional.of(now);
    } catch (SpawnerRefusedException | IOException e) {
      LOG.info("sandbox {}: built anew, because its root cannot be changed: {}", id, e.toString());
      return Optional.empty();
    } finally {
      cgroups.thaw(id);
    }
  }

  /** Whether an earlier engine ended while it changed the sandbox's root. */
  boolean wasChanging(SandboxId id) {
    return Files.exists(home.sandbox(id).resolve(CHANGING));
  }

  private Outcome frozen(
      SpawnerRequest.Start standing,
      CageRecord.Running running,
      LayerId layer,
      boolean agentIdle,
      boolean paused) {
    SandboxId id = standing.id();
    long start = System.nanoTime();
    Outcome outcome;
    try {
      cgroups.freeze(id);
      FailPoint.SEAL_FROZEN.reached();
      boolean alone = cgroups.processes(id).equals(Set.of((long) running.process().pid()));
      outcome =
          agentIdle && alone ? move(standing, running, layer) : copy(standing, running, layer);
    } finally {
      if (!paused) {
        cgroups.thaw(id);
      }
    }
    var frozen = paused ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - start);
    Sealing told = outcome.sealing();
    return new Outcome(
        new Sealing(told.moved(), frozen, told.bytes()), outcome.running(), outcome.root());
  }

  /** Returns when the layer is on the disk. */
  void force(LayerId layer, Sealing sealing) {
    try {
      images.sealed(layer);
      FailPoint.SEAL_FORCED.reached();
    } catch (IOException e) {
      if (!sealing.moved()) {
        images.remove(layer);
      }
      throw new EngineException("Could not write layer %s to the disk".formatted(layer), e);
    }
  }

  private void prepare(LayerId layer, RootFs root) {
    try {
      images.prepare(layer, root);
    } catch (IOException e) {
      throw new EngineException("Could not prepare layer %s: %s".formatted(layer, e), e);
    }
  }

  private Outcome copy(SpawnerRequest.Start standing, CageRecord.Running running, LayerId layer) {
    try {
      long[] made = call(SpawnerRequest.OnImage.Work.COPY, standing.id(), running, layer);
      FailPoint.SEAL_COPIED.reached();
      return new Outcome(new Sealing(false, Duration.ZERO, made[0]), running, standing.root());
    } catch (EngineException e) {
      images.remove(layer);
      throw e;
    }
  }

  private Outcome move(SpawnerRequest.Start standing, CageRecord.Running running, LayerId layer) {
    SandboxId id = standing.id();
    Path folder = home.sandbox(id);
    List<LayerId> sealed = new ArrayList<>(standing.root().sealed());
    sealed.addFirst(layer);
    RootFs root = standing.root().over(sealed);
    try {
      if (Files.exists(folder.resolve(NOTE))) {
        tryWriteDown(folder, running, standing.root()); // it found no room the last time
      }
      Files.writeString(folder.resolve(NOTE), layer.value() + " .");
      FailPoint.SEAL_NOTED.reached();
    } catch (IOException e) {
      throw new EngineException(
          "Could not note what is about to be done to sandbox %s: %s".formatted(id, e), e);
    }
    long[] made = moveImage(standing.on(root), running, layer);
    FailPoint.SEAL_MOVED.reached();
    images.noteMounted(layer);
    var now = new CageRecord.Running(running.process(), (int) made[1]);
    writeDown(folder, now, root);
    return new Outcome(new Sealing(true, Duration.ZERO, made[0]), now, root);
  }

  /** The sandbox stands there already: where this fails, the note lets the next start do it. */
  private static void writeDown(Path folder, CageRecord.Running running, RootFs root) {
    try {
      tryWriteDown(folder, running, root);
    } catch (IOException e) {
      LOG.warn("{}: what the sandbox stands on could not be written down", folder, e);
    }
  }

  private static void tryWriteDown(Path folder, CageRecord.Running running, RootFs root)
      throws IOException {
    write(folder, running, root);
    Files.delete(folder.resolve(NOTE));
    FailPoint.SEAL_NOTE_REMOVED.reached();
  }

  /** The device goes last: it is what {@link #settle} tells a move that happened by. */
  private static void write(Path folder, CageRecord.Running running, RootFs root)
      throws IOException {
    RootRecord.write(folder, root);
    FailPoint.SEAL_ROOT_WRITTEN.reached();
    CageRecord.writeRunning(folder, running);
    FailPoint.SEAL_DEVICE_WRITTEN.reached();
  }

  private long[] moveImage(SpawnerRequest.Start next, CageRecord.Running running, LayerId layer) {
    try {
      return spawner.call(new SpawnerRequest.SealMove(running, layer, next));
    } catch (SpawnerRefusedException e) {
      var fault =
          new EngineException(
              "Could not seal the disk of sandbox %s: %s".formatted(next.id(), e.getMessage()), e);
      try {
        undo(next.id(), running, layer);
        images.remove(layer);
      } catch (EngineException | IOException again) {
        fault.addSuppressed(again);
      }
      throw fault;
    }
  }

  private void undo(SandboxId id, CageRecord.Running running, LayerId layer) throws IOException {
    if (Files.exists(home.sealedImages().resolve(layer.value()))) {
      call(SpawnerRequest.OnImage.Work.UNDO_MOVE, id, running, layer);
    }
    Files.deleteIfExists(home.sandbox(id).resolve(NEXT_IMAGE));
    Files.deleteIfExists(home.sandbox(id).resolve(NOTE));
  }

  private long[] call(
      SpawnerRequest.OnImage.Work work, SandboxId id, CageRecord.Running running, LayerId layer) {
    var request = new SpawnerRequest.OnImage(work, id, running, layer);
    try {
      return spawner.call(request);
    } catch (SpawnerRefusedException e) {
      throw new EngineException("Could not %s: %s".formatted(request.purpose(), e.getMessage()), e);
    }
  }

  /**
   * Ends, one way or the other, a move that an earlier engine began with this running sandbox. What
   * cannot be ended now is left for the next start; the sandbox runs on either way.
   *
   * @param paused whether it is to stand still
   */
  CageRecord.Running repair(SandboxId id, CageRecord.Running running, RootFs root, boolean paused) {
    Path note = home.sandbox(id).resolve(NOTE);
    CageRecord.Running now = running;
    try {
      if (Files.exists(note)) {
        String[] words = Files.readString(note).split(" ");
        if (words.length == 2) {
          now = settle(id, running, root, new LayerId(words[0]));
        }
        Files.deleteIfExists(note);
      }
    } catch (IOException | EngineException e) {
      LOG.warn("sandbox {}: a layer that was being made could not be settled", id, e);
    }
    if (paused) {
      cgroups.freeze(id);
    } else {
      cgroups.thaw(id); // it stood still while the layer was made
    }
    return now;
  }

  /**
   * The same for a sandbox of which nothing runs any more. Where it has an image beside the layer,
   * that is the one that it stood on last: it had written nothing to it while it stood still, or
   * has gone on with it since.
   *
   * @param awaitUnused returns when nobody can write to a file any more
   */
  void settleHalted(SandboxId id, Consumer<Path> awaitUnused) {
    Path folder = home.sandbox(id);
    Path note = folder.resolve(NOTE);
    try {
      Optional<RootFs> root = RootRecord.find(folder);
      if (!Files.exists(note) || root.isEmpty()) {
        return;
      }
      String[] words = Files.readString(note).split(" ");
      Path image = folder.resolve(IMAGE);
      if (words.length == 2) {
        var layer = new LayerId(words[0]);
        Path sealed = home.sealedImages().resolve(layer.value());
        if (Files.exists(sealed) && Files.exists(image)) {
          RootRecord.write(folder, withUppermost(root.get(), layer));
        } else if (Files.exists(sealed)) {
          images.close(layer);
          awaitUnused.accept(sealed);
          Files.move(sealed, image, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      Files.deleteIfExists(folder.resolve(NEXT_IMAGE));
      Files.deleteIfExists(note);
    } catch (IOException e) {
      throw new EngineException(
          "A layer that was being made of sandbox %s could not be settled".formatted(id), e);
    }
  }

  private static RootFs withUppermost(RootFs root, LayerId layer) {
    List<LayerId> sealed = new ArrayList<>(root.sealed());
    if (!sealed.contains(layer)) {
      sealed.addFirst(layer);
    }
    return root.over(sealed);
  }

  /**
   * Another device behind the sandbox's image than the one that is written down shows that it
   * stands on a new one already. Where both are the same, it may all have been written down.
   */
  private CageRecord.Running settle(
      SandboxId id, CageRecord.Running running, RootFs root, LayerId layer) throws IOException {
    Path folder = home.sandbox(id);
    Optional<Integer> device = LoopDevices.behind(folder.resolve(IMAGE));
    if (device.isPresent()
        && device.get() == running.loopDevice()
        && root.sealed().contains(layer)) {
      return running;
    }
    if (device.isEmpty() || device.get() == running.loopDevice()) {
      undo(id, running, layer);
      return running;
    }
    var now = new CageRecord.Running(running.process(), device.get());
    write(folder, now, withUppermost(root, layer));
    return now;
  }
}
