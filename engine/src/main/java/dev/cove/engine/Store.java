package dev.cove.engine;

import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;

/**
 * The layers and volumes of this host, on which the cages of every engine stand: file system images
 * that a kernel wrote and that no sandbox ever had as bytes. Safe for use by many threads.
 */
public interface Store {
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
}
