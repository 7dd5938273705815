package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;
import java.util.Optional;

/**
 * A path of a project that a sandbox changed. Names and links are as they may be printed: what is
 * no UTF-8, or would move a cursor, is escaped, and can be given back like that.
 *
 * @param project by its target in the sandbox
 * @param kind added, changed, deleted, renamed, mode or type; later servers may know more
 * @param from where it was before, if it was renamed
 * @param binary whether the sandbox's version is no text
 * @param hostChanged whether the host's version has changed as well
 * @param baseKnown whether it is known what both began with
 * @param dangers why it deserves a second look, the worst first
 */
public record Change(
    String project,
    String path,
    String kind,
    Optional<String> from,
    Optional<ChangedEntry> before,
    Optional<ChangedEntry> after,
    boolean binary,
    boolean hostChanged,
    boolean baseKnown,
    List<Danger> dangers) {
  /** Why a change deserves a second look: a stable name, and half a sentence for people. */
  public record Danger(String code, String text) {
    static Danger of(JsonObject json) {
      return new Danger(json.requireText("code"), json.requireText("text"));
    }
  }

  public Change {
    dangers = List.copyOf(dangers);
  }

  static Change of(JsonObject json) {
    return new Change(
        json.requireText("project"),
        json.requireText("path"),
        json.requireText("kind"),
        json.findText("from"),
        json.find("before").map(_ -> ChangedEntry.of(json.requireObject("before"))),
        json.find("after").map(_ -> ChangedEntry.of(json.requireObject("after"))),
        json.flag("binary"),
        json.flag("hostChanged"),
        json.flag("baseKnown"),
        json.objects("dangers").stream().map(Danger::of).toList());
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder().put("project", project).put("path", path).put("kind", kind);
    from.ifPresent(old -> json.put("from", old));
    before.ifPresent(entry -> json.put("before", entry.toBody()));
    after.ifPresent(entry -> json.put("after", entry.toBody()));
    json.put("binary", binary).put("hostChanged", hostChanged).put("baseKnown", baseKnown);
    List<JsonValue> why =
        dangers.stream()
            .<JsonValue>map(
                one -> JsonObject.builder().put("code", one.code()).put("text", one.text()).build())
            .toList();
    return Json.writeText(json.put("dangers", new JsonValue.Items(why)).build());
  }
}
