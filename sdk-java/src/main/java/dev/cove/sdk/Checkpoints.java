package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The checkpoints of all sandboxes, also of those that are gone. */
public final class Checkpoints {
  private static final String PATH = Api.ROOT + "/checkpoints";

  private static final int DEFAULT_CHANGES = 1_000;

  /** A full disk may have to be copied or compared, and a fork may make a thousand sandboxes. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Api api;

  Checkpoints(Api api) {
    this.api = api;
  }

  public List<Checkpoint> list() {
    return api.fetch(PATH, Checkpoints::items);
  }

  /**
   * The checkpoint of that id.
   *
   * @throws CoveApiException with code {@code not_found} when there is none
   */
  public Checkpoint require(String id) {
    return api.fetch(pathOf(id), Checkpoint::of);
  }

  public Optional<Checkpoint> find(String id) {
    try {
      return Optional.of(require(id));
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Nothing can be restored from it any more; what was, stays. */
  public void delete(String id) {
    api.order(Request.of("DELETE", pathOf(id)));
  }

  /** Its files, which can be read although nothing of it runs. */
  public StoredFiles files(String id) {
    return new StoredFiles(api, pathOf(id) + "/files");
  }

  /** How the files of one checkpoint became those of another; at most 1,000 changes. */
  public Difference diff(String id, String other) {
    return diff(id, "to", other, DEFAULT_CHANGES);
  }

  public Difference diff(String id, String other, int limit) {
    return diff(id, "to", other, limit);
  }

  /** How the files of a checkpoint became those that a running sandbox has now. */
  public Difference diffWithSandbox(String id, String idOrName, int limit) {
    return diff(id, "sandbox", idOrName, limit);
  }

  private Difference diff(String id, String what, String other, int limit) {
    String target = pathOf(id) + "/diff?" + what + "=" + Api.encode(other) + "&limit=" + limit;
    return api.call(Request.of("GET", target).readTimeout(LONG), Difference::of);
  }

  /** Makes so many sandboxes that start with a checkpoint; each may fail by itself. */
  public List<Fork> fork(String id, int count) {
    return api.call(
        Request.of("POST", pathOf(id) + "/fork")
            .body(Body.json(Json.write(JsonObject.builder().put("count", count).build())))
            .readTimeout(LONG),
        json -> Sandbox.forks(api, json));
  }

  static List<Checkpoint> items(JsonObject json) {
    return json.objects("items").stream().map(Checkpoint::of).toList();
  }

  private static String pathOf(String id) {
    return PATH + "/" + Api.encode(id);
  }
}
