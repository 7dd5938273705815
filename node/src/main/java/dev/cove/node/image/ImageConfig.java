package dev.cove.node.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What an image says about the programs in it.
 *
 * @param user a name or number, perhaps with a group after a colon; empty for root
 * @param cwd empty for the root
 * @param contents the digests of its layers' tars, the lowest first
 */
public record ImageConfig(
    String user,
    String cwd,
    Map<String, String> env,
    List<String> entrypoint,
    List<String> command,
    List<Digest> contents) {
  private static final int MAX_VARIABLES = 128;

  static ImageConfig parse(JsonNode json) throws BadImageException {
    requirePlatform(json);
    JsonNode config = json.path("config");
    var contents = new ArrayList<Digest>();
    for (JsonNode digest : json.path("rootfs").path("diff_ids")) {
      contents.add(Documents.digest(digest));
    }
    return new ImageConfig(
        config.path("User").asString(""),
        config.path("WorkingDir").asString(""),
        variables(config.path("Env")),
        texts(config.path("Entrypoint")),
        texts(config.path("Cmd")),
        List.copyOf(contents));
  }

  private static void requirePlatform(JsonNode json) throws BadImageException {
    String os = json.path("os").asString("linux");
    String architecture = json.path("architecture").asString(Platform.ARCHITECTURE);
    if (!os.equals("linux") || !architecture.equals(Platform.ARCHITECTURE)) {
      throw new BadImageException(
          "The image is for %s/%s, and this machine is linux/%s"
              .formatted(
                  os.toLowerCase(Locale.ROOT),
                  architecture.toLowerCase(Locale.ROOT),
                  Platform.ARCHITECTURE));
    }
  }

  private static Map<String, String> variables(JsonNode list) throws BadImageException {
    var variables = new LinkedHashMap<String, String>();
    for (String entry : texts(list)) {
      int equals = entry.indexOf('=');
      if (equals > 0) {
        variables.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    if (variables.size() > MAX_VARIABLES) {
      throw new BadImageException("The image sets more than %d variables".formatted(MAX_VARIABLES));
    }
    return variables;
  }

  private static List<String> texts(JsonNode list) {
    var texts = new ArrayList<String>();
    list.forEach(item -> texts.add(item.asString("")));
    return List.copyOf(texts);
  }
}
