package dev.cove.node.image;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Manifests, indexes and configurations: the JSON that an image consists of. */
final class Documents {
  static final int MAX_BYTES = 4 * 1024 * 1024;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(64).build())
                  .build())
          .build();

  private Documents() {}

  static JsonNode parse(byte[] bytes, String what) throws BadImageException {
    try {
      JsonNode node = MAPPER.readTree(bytes);
      if (!node.isObject() && !node.isArray()) {
        throw new BadImageException(what + " is not a JSON document");
      }
      return node;
    } catch (JacksonException e) {
      throw new BadImageException(what + " is not valid JSON", e);
    }
  }

  static Digest digest(JsonNode text) throws BadImageException {
    try {
      return new Digest(text.asString(""));
    } catch (IllegalArgumentException e) {
      throw new BadImageException("The image names a digest that is none", e);
    }
  }

  static boolean isIndex(JsonNode json) {
    return json.path("manifests").isArray();
  }

  /** The manifest of an index that is for this machine. */
  static Digest forThisMachine(JsonNode index) throws BadImageException {
    var others = new ArrayList<String>();
    for (JsonNode entry : index.path("manifests")) {
      JsonNode platform = entry.path("platform");
      String os = platform.path("os").asString("linux");
      String architecture = platform.path("architecture").asString(Platform.ARCHITECTURE);
      if (os.equals("linux") && architecture.equals(Platform.ARCHITECTURE)) {
        return digest(entry.path("digest"));
      }
      others.add(os + "/" + architecture);
    }
    throw new BadImageException(
        "The image is not for linux/%s, only for %s"
            .formatted(Platform.ARCHITECTURE, others.stream().limit(20).toList()));
  }

  static Digest configOf(JsonNode manifest) throws BadImageException {
    return digest(manifest.path("config").path("digest"));
  }

  /** The layers of a manifest, each with what the configuration says is in it. */
  static List<Image.Layer> layersOf(JsonNode manifest, ImageConfig config)
      throws BadImageException {
    var layers = new ArrayList<Image.Layer>();
    JsonNode blobs = manifest.path("layers");
    requireSameCount(blobs.size(), config.contents().size());
    for (int i = 0; i < blobs.size(); i++) {
      JsonNode blob = blobs.get(i);
      layers.add(
          new Image.Layer(
              digest(blob.path("digest")), config.contents().get(i), blob.path("size").asLong(0)));
    }
    return List.copyOf(layers);
  }

  static void requireSameCount(int blobs, int contents) throws BadImageException {
    if (blobs != contents) {
      throw new BadImageException(
          "The image has %d layers, and its configuration speaks of %d".formatted(blobs, contents));
    }
    if (blobs < 1 || blobs > Image.MAX_LAYERS) {
      throw new BadImageException(
          "The image has %d layers; 1 to %d can be used".formatted(blobs, Image.MAX_LAYERS));
    }
  }
}
