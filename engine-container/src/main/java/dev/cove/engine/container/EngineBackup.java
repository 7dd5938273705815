package dev.cove.engine.container;

import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileRanges;
import dev.cove.model.file.FileSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Hands out files with the names that they must have in a home for an engine to find them. */
final class EngineBackup {
  private final EngineHome home;
  private final SealedImages sealedImages;
  private final VolumeImages volumeImages;

  EngineBackup(EngineHome home, SealedImages sealedImages, VolumeImages volumeImages) {
    this.home = home;
    this.sealedImages = sealedImages;
    this.volumeImages = volumeImages;
  }

  /** The record second: an image without one is nothing. */
  void layer(LayerId layer, FileSink sink) throws IOException {
    Path image = sealedImages.verified(layer);
    image(home.sealedImages().resolve(layer.value()), image, sink);
    Path record = LayerRecord.file(home.sealedImages(), layer);
    sink.take(name(record), Files.size(record), out -> FileRanges.write(record, out));
  }

  void disk(SandboxId id, LayerId disk, RootFs below, FileSink sink) throws IOException {
    image(home.sandbox(id).resolve("image"), sealedImages.verified(disk), sink);
    byte[] text = RootRecord.text(below).getBytes(StandardCharsets.UTF_8);
    Path record = home.sandbox(id).resolve(RootRecord.FILE);
    sink.take(name(record), text.length, out -> FileRanges.write(text, out));
  }

  /** A copy is made at one moment, and goes again; should it stay, no row knows it. */
  void volume(VolumeId volume, FileSink sink) throws IOException {
    VolumeId copy = VolumeId.random();
    volumeImages.copy(volume, copy);
    try {
      Path image = home.volumes().resolve(copy.value());
      image(home.volumes().resolve(volume.value()), image, sink);
    } finally {
      volumeImages.remove(copy);
    }
  }

  private void image(Path as, Path image, FileSink sink) throws IOException {
    List<FileRanges.Range> ranges = SparseFile.extents(image);
    sink.take(name(as), Files.size(image), out -> FileRanges.write(image, ranges, out));
  }

  private String name(Path file) {
    return home.data().relativize(file).toString();
  }
}
