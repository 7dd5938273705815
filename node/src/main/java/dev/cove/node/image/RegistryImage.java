package dev.cove.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** An image in a registry. */
public final class RegistryImage implements Image {
  private final Registry registry;
  private final String origin;
  private final ImageConfig config;
  private final List<Layer> layers;

  private RegistryImage(Registry registry, String origin, ImageConfig config, List<Layer> layers) {
    this.registry = registry;
    this.origin = origin;
    this.config = config;
    this.layers = layers;
  }

  public static RegistryImage open(ImageReference reference, Optional<Credentials> credentials)
      throws IOException {
    var registry = new Registry(reference, credentials);
    boolean opened = false;
    try {
      RegistryImage image = read(registry, reference);
      opened = true;
      return image;
    } finally {
      if (!opened) {
        registry.close();
      }
    }
  }

  private static RegistryImage read(Registry registry, ImageReference reference)
      throws IOException {
    byte[] bytes = registry.manifest(reference.wanted());
    Digest digest = Digest.of(bytes);
    if (reference.digest().isPresent()) {
      requireDigest(digest, reference.digest().get(), "The manifest");
    }
    JsonNode manifest = Documents.parse(bytes, "The manifest");
    if (Documents.isIndex(manifest)) {
      Digest mine = Documents.forThisMachine(manifest);
      byte[] own = registry.manifest(mine.text());
      requireDigest(Digest.of(own), mine, "The manifest");
      manifest = Documents.parse(own, "The manifest");
    }
    Digest configDigest = Documents.configOf(manifest);
    byte[] configBytes = registry.document(configDigest);
    requireDigest(Digest.of(configBytes), configDigest, "The configuration");
    ImageConfig config = ImageConfig.parse(Documents.parse(configBytes, "The configuration"));
    return new RegistryImage(
        registry,
        reference.name() + ":" + reference.tag() + "@" + digest,
        config,
        Documents.layersOf(manifest, config));
  }

  private static void requireDigest(Digest found, Digest expected, String what)
      throws BadImageException {
    if (!found.equals(expected)) {
      throw new BadImageException(
          "%s has the digest %s, and should have %s".formatted(what, found, expected));
    }
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
    return LayerContent.of(registry.blob(layer.blob()), layer);
  }

  @Override
  public void close() {
    registry.close();
  }
}
