package dev.cove.edge;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.VolumeId;
import dev.cove.node.NodeVolumes;
import java.util.Set;

/** Volumes that hold nothing; what is in real ones is tested end to end. */
final class NoVolumes implements NodeVolumes {
  @Override
  public void create(VolumeId volume, int sizeMb) {}

  @Override
  public void copy(VolumeId from, VolumeId to) {}

  @Override
  public long bytes(VolumeId volume) {
    return 0;
  }

  @Override
  public void keep(Set<VolumeId> recorded) {}

  @Override
  public void remove(VolumeId volume) {}

  @Override
  public Open open(VolumeId volume, boolean readOnly) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot make volumes");
  }
}
