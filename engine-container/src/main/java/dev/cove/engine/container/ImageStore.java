package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.LayerFacts;
import dev.cove.engine.RootFs;
import dev.cove.engine.Store;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;

/** Layers and volumes as ext4 images in the engine's home. */
final class ImageStore implements Store {
  private final SealedImages sealed;
  private final VolumeImages volumes;
  private final BaseImages emptyImages;
  private final EngineBackup backup;
  private final boolean possible;

  /**
   * @param possible false where this host has no disk images
   */
  ImageStore(
      SealedImages sealed,
      VolumeImages volumes,
      BaseImages emptyImages,
      EngineBackup backup,
      boolean possible) {
    this.sealed = sealed;
    this.volumes = volumes;
    this.emptyImages = emptyImages;
    this.backup = backup;
    this.possible = possible;
  }

  @Override
  public Set<LayerId> layers() {
    return sealed.all();
  }

  @Override
  public LayerFacts layer(LayerId layer) {
    return sealed.facts(layer);
  }

  @Override
  public void verifyLayers(RootFs root) {
    sealed.verify(root);
  }

  @Override
  public LayerDescription describeLayer(LayerId layer) {
    return sealed.describe(layer);
  }

  @Override
  public void exportLayer(LayerId layer, OutputStream out) throws IOException {
    sealed.write(layer, out);
  }

  @Override
  public void importLayer(LayerId layer, LayerDescription description, InputStream in)
      throws IOException {
    sealed.take(layer, description, in);
  }

  @Override
  public void mergeLayers(LayerId into, RootFs root) {
    requireDiskImages();
    try {
      sealed.merge(into, root, emptyImages);
    } catch (SpawnerRefusedException e) {
      throw new EngineException("Could not merge layers: " + e.getMessage(), e);
    }
  }

  @Override
  public void backupLayer(LayerId layer, FileSink sink) throws IOException {
    backup.layer(layer, sink);
  }

  @Override
  public void backupDisk(SandboxId id, LayerId disk, RootFs below, FileSink sink)
      throws IOException {
    backup.disk(id, disk, below, sink);
  }

  @Override
  public void backupVolume(VolumeId volume, FileSink sink) throws IOException {
    requireDiskImages();
    backup.volume(volume, sink);
  }

  @Override
  public void removeLayer(LayerId layer) {
    sealed.remove(layer);
  }

  @Override
  public void createVolume(VolumeId volume, int sizeMb) {
    requireDiskImages();
    volumes.create(volume, sizeMb);
  }

  @Override
  public void copyVolume(VolumeId from, VolumeId to) {
    requireDiskImages();
    volumes.copy(from, to);
  }

  private void requireDiskImages() {
    if (!possible) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED,
          "This host cannot make disk images, which volumes and layers are; cove doctor says why");
    }
  }

  @Override
  public Set<VolumeId> volumes() {
    return volumes.all();
  }

  @Override
  public long volumeBytes(VolumeId volume) {
    return volumes.bytes(volume);
  }

  @Override
  public void removeVolume(VolumeId volume) {
    volumes.remove(volume);
  }
}
