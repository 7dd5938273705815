package dev.cove.control.sandbox;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.VolumeId;
import dev.cove.node.NodeVolumes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Volumes without content. */
final class FakeVolumes implements NodeVolumes {
  final Set<VolumeId> images = ConcurrentHashMap.newKeySet();

  @Override
  public void create(VolumeId volume, int sizeMb) {
    images.add(volume);
  }

  @Override
  public void copy(VolumeId from, VolumeId to) {
    images.add(to);
  }

  @Override
  public long bytes(VolumeId volume) {
    return 0;
  }

  @Override
  public void keep(Set<VolumeId> recorded) {
    images.retainAll(recorded);
  }

  @Override
  public void remove(VolumeId volume) {
    images.remove(volume);
  }

  @Override
  public Open open(VolumeId volume, boolean readOnly) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "There are no files here");
  }
}
