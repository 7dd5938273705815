package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One version of a template, which never changes.
 *
 * @param version counts from 1 for each name
 * @param reference asks for exactly this version, whatever tags come to mean
 * @param tags those that pointed to this version when the server was asked
 * @param origin for people: what it was made of
 * @param builtIn it can't be removed or tagged
 * @param base what lies below its layers: host or empty; later servers may know more
 * @param cwd empty for the user's home
 * @param entrypoint what runs where no command is given; empty when one must be
 * @param start the service that runs before a sandbox is handed out; empty for none
 * @param ready succeeds once that service can be used
 * @param network what its sandboxes may reach unless it is said when they are made
 * @param life what happens to its sandboxes by themselves, unless it is said otherwise of one
 * @param limits how much they may use, unless it is said when they are made
 */
public record Template(
    String name,
    int version,
    String reference,
    List<String> tags,
    String origin,
    Instant createdAt,
    boolean builtIn,
    String base,
    String user,
    String cwd,
    List<String> entrypoint,
    Map<String, String> env,
    List<String> start,
    List<String> ready,
    int layers,
    Optional<Network> network,
    Optional<Life> life,
    Optional<Limits> limits) {
  static Template of(JsonObject json) {
    return new Template(
        json.requireText("name"),
        json.requireInt("version"),
        json.requireText("reference"),
        json.texts("tags"),
        json.requireText("origin"),
        json.requireInstant("createdAt"),
        json.flag("builtIn"),
        json.requireText("base"),
        json.requireText("user"),
        json.requireText("cwd"),
        json.texts("entrypoint"),
        json.textMap("env"),
        json.texts("start"),
        json.texts("ready"),
        json.requireInt("layers"),
        json.find("network").map(_ -> Network.of(json.requireObject("network"))),
        json.find("life").map(_ -> Life.of(json.requireObject("life"))),
        json.find("limits").map(_ -> Limits.of(json.requireObject("limits"))));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("name", name)
            .put("version", version)
            .put("reference", reference)
            .put("tags", JsonValue.ofTexts(tags))
            .put("origin", origin)
            .put("createdAt", createdAt.toString())
            .put("builtIn", builtIn)
            .put("base", base)
            .put("user", user)
            .put("cwd", cwd)
            .put("entrypoint", JsonValue.ofTexts(entrypoint))
            .put("env", JsonObject.ofTexts(env))
            .put("start", JsonValue.ofTexts(start))
            .put("ready", JsonValue.ofTexts(ready))
            .put("layers", layers);
    network.ifPresent(settings -> json.put("network", settings.toBody()));
    life.ifPresent(rules -> json.put("life", rules.toBody()));
    limits.ifPresent(said -> json.put("limits", said.toBody()));
    return Json.writeText(json.build());
  }
}
