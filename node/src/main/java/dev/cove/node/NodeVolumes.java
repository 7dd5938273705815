package dev.cove.node;

import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.VolumeId;
import java.util.Set;

/** The volumes of a node. Who may have which is decided elsewhere. */
public interface NodeVolumes {
  /**
   * Makes an empty volume; when it throws, there is none.
   *
   * @throws CoveException NO_ROOM when the disk is too full, UNSUPPORTED when this host has no disk
   *     images
   */
  void create(VolumeId volume, int sizeMb);

  /** Makes a volume with what another holds now, also while that is in use. */
  void copy(VolumeId from, VolumeId to);

  /** What a volume takes on the disk. */
  long bytes(VolumeId volume);

  /** Removes every volume that is not among these. */
  void keep(Set<VolumeId> recorded);

  void remove(VolumeId volume);

  /** Reaches into a volume without a sandbox. Costs about as much as one, and must be closed. */
  Open open(VolumeId volume, boolean readOnly);

  /** A volume at hand. */
  interface Open extends AutoCloseable {
    /** Where the volume is for {@link #guest}; nothing else is there for it to reach. */
    String FOLDER = "/volume";

    Guest guest();

    /** Returns when everything that was written is on the disk. */
    @Override
    void close();
  }
}
