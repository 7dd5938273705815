package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Request;
import java.util.List;
import java.util.Optional;

/** The checkpoints of all sandboxes, also of those that are gone. */
public final class Checkpoints {
  private static final String PATH = Api.ROOT + "/checkpoints";

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

  static List<Checkpoint> items(JsonObject json) {
    return json.objects("items").stream().map(Checkpoint::of).toList();
  }

  private static String pathOf(String id) {
    return PATH + "/" + Api.encode(id);
  }
}
