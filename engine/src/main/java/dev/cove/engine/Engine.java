package dev.cove.engine;

import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.Set;

/**
 * Builds cages on this host. Safe for use by many threads.
 *
 * <p>Cages outlive the engine object and its process: {@link #close} leaves them running, and a new
 * engine on the same folders finds them with {@link #present} and {@link #adopt}.
 */
public interface Engine extends AutoCloseable {
  Tier tier();

  /**
   * Tells what each cage has used in all, after its last process has ended and before what counted
   * it goes: also of cages that an earlier engine object started. Until it returns, the figures can
   * be read again. Must not throw. Set before anything else.
   */
  void onEnd(EndListener listener);

  /** Hears what a cage has used in all. */
  @FunctionalInterface
  interface EndListener {
    void ended(SandboxId id, CageCount count);
  }

  /** What this host lets the engine promise. */
  EngineReport report();

  /**
   * Builds a cage and starts the agent in it. When it throws, nothing of the cage is left.
   *
   * @throws EngineException naming the step that failed
   */
  Cage start(CagePlan plan);

  /**
   * A cage that an earlier engine object started and that still runs. It is thawed: the engine may
   * have died while it made a layer.
   */
  Optional<Cage> adopt(SandboxId id);

  /** The same for a cage that is to stand still, which it does without a break. */
  Optional<Cage> adoptPaused(SandboxId id);

  /**
   * Ends whatever runs of a sandbox and keeps what it has written, on the disk.
   *
   * @return what its files lie over; empty when there are none to go on with, and then nothing of
   *     it is left
   */
  Optional<RootFs> halt(SandboxId id);

  /**
   * Builds a cage again on the files of one with the same id that was halted. When it throws, the
   * files are as they were.
   *
   * @param plan its root has the sealed layers that {@link #halt} told of
   * @throws EngineException LAYER_DAMAGED when the files cannot be used any more
   */
  Cage restart(CagePlan plan);

  /** Every sandbox of which anything is left on this host: process, cgroup, socket or folder. */
  Set<SandboxId> present();

  /** Ends and removes whatever {@link #present} found of a sandbox. Does nothing if it is gone. */
  void remove(SandboxId id);

  /** Every sealed layer on this host. */
  Set<LayerId> layers();

  /** What a layer takes, and its digest; all zero when it is not there. */
  LayerFacts layer(LayerId layer);

  /**
   * Returns when all sealed layers of a root were found to be what was sealed.
   *
   * @throws EngineException when one is gone, LAYER_DAMAGED when one is damaged, naming it
   */
  void verifyLayers(RootFs root);

  /** What the writable part of a sandbox takes on the host's disk. */
  long diskBytes(SandboxId id);

  /**
   * Waits until a layer's digest is known, and verifies it.
   *
   * @throws EngineException LAYER_DAMAGED when it is not what was sealed
   */
  LayerDescription describeLayer(LayerId layer);

  /**
   * Makes one layer that shows what the root's sealed layers show together, over whatever lies
   * below them. They stay as they are.
   *
   * @throws EngineException when it cannot be made; nothing of it is left then
   */
  void mergeLayers(LayerId into, RootFs root);

  /** Writes a layer's content for {@link #importLayer} to read. */
  void exportLayer(LayerId layer, OutputStream out) throws IOException;

  /**
   * Makes a layer of what {@link #exportLayer} wrote. Reads just that from the stream.
   *
   * @throws EngineException LAYER_DAMAGED when it is not what the description says; nothing of it
   *     is left then
   */
  void importLayer(LayerId layer, LayerDescription description, InputStream in) throws IOException;

  /** Hands out the files of a layer, which has been verified, for a home that is made of them. */
  void backupLayer(LayerId layer, FileSink sink) throws IOException;

  /**
   * Hands out the files that a stopped sandbox has in a home.
   *
   * @param disk a layer that holds what it has written
   * @param below what that lies over
   */
  void backupDisk(SandboxId id, LayerId disk, RootFs below, FileSink sink) throws IOException;

  /** Hands out the files of a volume as it is at one moment, also while it is in use. */
  void backupVolume(VolumeId volume, FileSink sink) throws IOException;

  /** Removes a layer on which nothing will be started any more. Does nothing if it is gone. */
  void removeLayer(LayerId layer);

  /**
   * Makes an empty volume that can never hold more. What a sandbox flushes to it survives
   * everything but the loss of the disk, and is seen by every sandbox with the same owners.
   *
   * <p>A volume may be in any number of cages, but it is the caller's part that nobody else has it
   * while one may write to it.
   *
   * @throws EngineException UNSUPPORTED where this host has no disk images
   */
  void createVolume(VolumeId volume, int sizeMb);

  /**
   * Makes a volume with what another one holds at this moment. Whoever writes to that waits
   * meanwhile; what programs had not yet written is not in the copy, as after a loss of power.
   */
  void copyVolume(VolumeId from, VolumeId to);

  /** Every volume on this host. */
  Set<VolumeId> volumes();

  /** What a volume takes on the host's disk; 0 when it is not there. */
  long volumeBytes(VolumeId volume);

  /** Removes a volume that no cage has. Does nothing if it is gone. */
  void removeVolume(VolumeId volume);

  @Override
  void close();
}
