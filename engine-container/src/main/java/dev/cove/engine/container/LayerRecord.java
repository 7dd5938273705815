package dev.cove.engine.container;

import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is written down about a sealed layer, in a file beside it.
 *
 * @param parts where in a sandbox the parts of its image belong, apart from the first, which is the
 *     root; a layer fits only over a root file system with the same
 * @param digest of the image and the parts; comes a moment after the layer
 */
record LayerRecord(LayerId layer, List<String> parts, Optional<String> digest) {
  static final String SUFFIX = ".layer";

  private static final int MAX_BYTES = 1 << 20;
  private static final String LAYER = "layer ";
  private static final String PART = "part ";
  private static final String DIGEST = "digest ";
  private static final String PENDING = "pending";

  /** Goes with the layer wherever it is exported to. No path begins like this. */
  private static final String BY_MACHINE = "(machine)";

  LayerRecord {
    parts = List.copyOf(parts);
  }

  /** Of a layer that is about to be made over a root file system. */
  static LayerRecord over(RootFs root, LayerId layer) {
    return new LayerRecord(layer, partsOf(root), Optional.empty());
  }

  /** The same, of a layer that a machine's own kernel writes. */
  static LayerRecord ofMachine(RootFs root, LayerId layer) {
    var parts = new ArrayList<String>();
    parts.add(BY_MACHINE);
    parts.addAll(partsOf(root));
    return new LayerRecord(layer, parts, Optional.empty());
  }

  /**
   * Whether its bytes come from a machine. Whoever has taken over that machine's kernel could write
   * any: the host's kernel does not mount it.
   */
  boolean byMachine() {
    return !parts.isEmpty() && parts.getFirst().equals(BY_MACHINE);
  }

  /** Whether it fits over a root file system. */
  boolean fits(RootFs root) {
    return (byMachine() ? parts.subList(1, parts.size()) : parts).equals(partsOf(root));
  }

  /** An image has one part for the layers together and one for each graft, in their order. */
  static List<String> partsOf(RootFs root) {
    return root.grafts().stream().map(RootFs.Graft::target).toList();
  }

  LayerRecord with(String newDigest) {
    return new LayerRecord(layer, parts, Optional.of(newDigest));
  }

  static Path file(Path folder, LayerId layer) {
    return folder.resolve(layer.value() + SUFFIX);
  }

  /** Replaces the one before at one moment, and returns when it is on the disk. */
  void replace(Path folder) throws IOException {
    Path fresh = folder.resolve(layer.value() + SUFFIX + UnfinishedFiles.SUFFIX);
    Files.writeString(fresh, text());
    SealedImages.force(fresh);
    FailPoint.DIGEST_WRITTEN.reached();
    Files.move(fresh, file(folder, layer), StandardCopyOption.ATOMIC_MOVE);
    SealedImages.force(folder);
  }

  /** The first, of a layer that is not there yet. */
  void write(Path folder) throws IOException {
    Files.writeString(file(folder, layer), text());
  }

  private String text() {
    var text = new StringBuilder(LAYER).append(layer).append('\n');
    parts.forEach(part -> text.append(PART).append(part).append('\n'));
    return text.append(DIGEST).append(digest.orElse(PENDING)).append('\n').toString();
  }

  /**
   * @throws java.nio.file.NoSuchFileException when there is none
   * @throws IOException when what is there is not a record of this layer, to the last byte
   */
  static LayerRecord read(Path folder, LayerId layer) throws IOException {
    Path file = file(folder, layer);
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is too large for a record");
    }
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    LayerRecord record = parse(layer, text);
    if (!record.text().equals(text)) {
      throw new IOException(file + " is not a record of layer " + layer);
    }
    return record;
  }

  private static LayerRecord parse(LayerId layer, String text) {
    List<String> parts = new ArrayList<>();
    Optional<String> digest = Optional.empty();
    for (String line : text.lines().toList()) {
      if (line.startsWith(PART)) {
        parts.add(line.substring(PART.length()));
      } else if (line.startsWith(DIGEST) && !line.equals(DIGEST + PENDING)) {
        digest = Optional.of(line.substring(DIGEST.length()));
      }
    }
    return new LayerRecord(layer, parts, digest);
  }
}
