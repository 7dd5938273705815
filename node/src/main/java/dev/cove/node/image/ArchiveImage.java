package dev.cove.node.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import tools.jackson.databind.JsonNode;

/**
 * An image in a tar file: an OCI layout, or what {@code docker save} writes. It must hold one
 * image.
 *
 * <p>The file is read where it lies and never unpacked.
 */
public final class ArchiveImage implements Image {
  private static final int MAX_ENTRIES = 10_000;

  private final Path file;
  private final Map<String, Place> places;
  private final Map<Digest, String> names = new HashMap<>();
  private final String origin;
  private final ImageConfig config;
  private final List<Layer> layers;

  private record Place(long offset, long size) {}

  private ArchiveImage(Path file, Map<String, Place> places) throws IOException {
    this.file = file;
    this.places = places;
    if (places.containsKey("index.json")) {
      JsonNode manifest = ociManifest();
      Digest configDigest = Documents.configOf(manifest);
      this.config = ImageConfig.parse(verified(configDigest, "The configuration"));
      this.layers = Documents.layersOf(manifest, config);
      this.origin = "archive with configuration " + configDigest;
    } else if (places.containsKey("manifest.json")) {
      JsonNode entry = only(Documents.parse(bytes("manifest.json"), "manifest.json"));
      byte[] configBytes = bytes(entry.path("Config").asString(""));
      this.config = ImageConfig.parse(Documents.parse(configBytes, "The configuration"));
      this.layers = dockerLayers(entry.path("Layers"));
      this.origin = "archive with configuration " + Digest.of(configBytes);
    } else {
      throw new BadImageException(
          "The archive has neither index.json nor manifest.json, so it is no image");
    }
  }

  public static ArchiveImage open(Path file) throws IOException {
    return new ArchiveImage(file, index(file));
  }

  private static Map<String, Place> index(Path file) throws IOException {
    var places = new HashMap<String, Place>();
    try (var counted = new Positioned(Files.newInputStream(file));
        var tar = new TarArchiveInputStream(counted)) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (places.size() >= MAX_ENTRIES) {
          throw new BadImageException(
              "The archive has more than %d entries".formatted(MAX_ENTRIES));
        }
        if (entry.isFile() && !entry.isSparse()) {
          places.put(
              entry.getName().replaceFirst("^\\./", ""),
              new Place(counted.position, entry.getSize()));
        }
      }
      return places;
    } catch (BadImageException e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      throw new BadImageException("The archive is not a tar file: " + e.getMessage(), e);
    }
  }

  /** Knows how far it was read; skipping is reading, so that the two agree. */
  private static final class Positioned extends InputStream {
    private final InputStream in;
    private long position;

    Positioned(InputStream in) {
      this.in = new BufferedInputStream(in, 64 * 1024);
    }

    @Override
    public int read() throws IOException {
      int value = in.read();
      position += value < 0 ? 0 : 1;
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = in.read(buffer, offset, length);
      position += Math.max(0, read);
      return read;
    }

    @Override
    public long skip(long count) throws IOException {
      long skipped = in.skip(count);
      position += skipped;
      return skipped;
    }

    @Override
    public int available() throws IOException {
      return in.available();
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private JsonNode ociManifest() throws IOException {
    JsonNode index = Documents.parse(bytes("index.json"), "index.json");
    JsonNode manifests = index.path("manifests");
    for (int depth = 0; depth < 3; depth++) {
      Digest digest =
          manifests.size() == 1
              ? Documents.digest(manifests.get(0).path("digest"))
              : Documents.forThisMachine(index);
      JsonNode manifest = verified(digest, "The manifest");
      if (!Documents.isIndex(manifest)) {
        return manifest;
      }
      index = manifest;
      manifests = manifest.path("manifests");
    }
    throw new BadImageException("The archive's indexes lead nowhere");
  }

  private static JsonNode only(JsonNode list) throws BadImageException {
    if (list.size() != 1) {
      throw new BadImageException(
          "The archive holds %d images; make one with a single image".formatted(list.size()));
    }
    return list.get(0);
  }

  /** Docker's own archives name files, and the configuration says what must be in them. */
  private List<Layer> dockerLayers(JsonNode files) throws IOException {
    Documents.requireSameCount(files.size(), config.contents().size());
    var found = new ArrayList<Layer>();
    for (int i = 0; i < files.size(); i++) {
      String name = files.get(i).asString("");
      Digest blob = digestOf(name);
      names.put(blob, name);
      found.add(new Layer(blob, config.contents().get(i), place(name).size()));
    }
    return List.copyOf(found);
  }

  private Digest digestOf(String name) throws IOException {
    var hash = Digest.sha256();
    byte[] buffer = new byte[128 * 1024];
    try (InputStream in = stream(name)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        hash.update(buffer, 0, read);
      }
    }
    return Digest.ofHash(hash.digest());
  }

  private JsonNode verified(Digest digest, String what) throws IOException {
    byte[] bytes = bytes(nameOf(digest));
    Digest found = Digest.of(bytes);
    if (!found.equals(digest)) {
      throw new BadImageException(
          "%s has the digest %s, and should have %s".formatted(what, found, digest));
    }
    return Documents.parse(bytes, what);
  }

  private String nameOf(Digest digest) {
    return names.getOrDefault(digest, "blobs/sha256/" + digest.hex());
  }

  private byte[] bytes(String name) throws IOException {
    if (place(name).size() > Documents.MAX_BYTES) {
      throw new BadImageException(
          "%s in the archive is longer than %d bytes".formatted(name, Documents.MAX_BYTES));
    }
    try (InputStream in = stream(name)) {
      return in.readAllBytes();
    }
  }

  private Place place(String name) throws BadImageException {
    Place place = places.get(name.replaceFirst("^\\./", ""));
    if (place == null) {
      throw new BadImageException("The archive lacks \"%.200s\"".formatted(name));
    }
    return place;
  }

  private InputStream stream(String name) throws IOException {
    Place place = place(name);
    return new FileSlice(file, place.offset(), place.size());
  }

  @Override
  public String origin() {
    return origin;
  }

  @Override
  public ImageConfig config() {
    return config;
  }

  @Override
  public List<Layer> layers() {
    return layers;
  }

  @Override
  public InputStream open(Layer layer) throws IOException {
    return LayerContent.of(stream(nameOf(layer.blob())), layer);
  }

  @Override
  public void close() {
    // the file is its owner's
  }
}
