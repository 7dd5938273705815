package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which changes are to be applied to the host's folder, and how. Each method gives a copy. */
public final class ApplyRequest {
  private final Map<String, JsonValue> fields;

  private ApplyRequest(Map<String, JsonValue> fields) {
    this.fields = fields;
  }

  public static ApplyRequest all() {
    return new ApplyRequest(Map.of()).with("all", JsonValue.of(true));
  }

  /** Those at, and below, these paths; of no path, only what {@link #content} adds. */
  public static ApplyRequest of(List<String> paths) {
    return new ApplyRequest(Map.of()).with("paths", JsonValue.ofTexts(paths));
  }

  private ApplyRequest with(String name, JsonValue value) {
    var more = new LinkedHashMap<>(fields);
    more.put(name, value);
    return new ApplyRequest(Map.copyOf(more));
  }

  /** Which project, by its target; needed where the sandbox has several. */
  public ApplyRequest project(String target) {
    return with("project", JsonValue.of(target));
  }

  /**
   * A file that was composed of both versions, which is taken in place of the sandbox's.
   *
   * @param sandboxDigest SHA-256, in hex, of the sandbox's version that it was made from; empty
   *     where the sandbox has removed the file
   */
  public ApplyRequest content(String path, byte[] content, String sandboxDigest) {
    List<JsonValue> items = new ArrayList<>();
    if (fields.get("contents") instanceof JsonValue.Items(List<JsonValue> before)) {
      items.addAll(before);
    }
    items.add(
        JsonObject.builder()
            .put("path", path)
            .put("content", Base64.getEncoder().encodeToString(content))
            .put("sandboxDigest", sandboxDigest)
            .build());
    return with("contents", new JsonValue.Items(items));
  }

  /**
   * What becomes of paths that both sides changed in ways that do not go together: stop, ours (the
   * host's), theirs (the sandbox's) or markers.
   */
  public ApplyRequest onConflict(String how) {
    return with("onConflict", JsonValue.of(how));
  }

  /** Only tells what would be done. */
  public ApplyRequest dryRun() {
    return with("dryRun", JsonValue.of(true));
  }

  JsonObject toBody() {
    return new JsonObject(fields);
  }
}
