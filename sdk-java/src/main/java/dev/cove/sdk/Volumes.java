package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Makes, finds and lists volumes. Sandboxes get them with {@link CreateOptions#volume}. */
public final class Volumes {
  private static final String PATH = Api.ROOT + "/volumes";
  private static final Duration COPY_TIMEOUT = Duration.ofMinutes(2);

  private final Api api;

  Volumes(Api api) {
    this.api = api;
  }

  /** An empty volume that can hold so much and never more. */
  public Volume create(String name, int sizeMb) {
    return make(PATH, JsonObject.builder().put("name", name).put("sizeMb", sizeMb).build());
  }

  /** A volume that begins with what another, or a checkpoint, holds now. */
  public Volume fork(String from, String name) {
    return make(pathOf(from) + "/fork", JsonObject.builder().put("name", name).build());
  }

  /**
   * Keeps what a volume holds now. A program that writes to it waits meanwhile, and what it had not
   * yet flushed is not in the checkpoint, as after a loss of power.
   */
  public Volume checkpoint(String idOrName) {
    return make(pathOf(idOrName) + "/checkpoints", JsonObject.builder().build());
  }

  private Volume make(String path, JsonObject body) {
    Request request =
        Request.of("POST", path).body(Body.json(Json.write(body))).readTimeout(COPY_TIMEOUT);
    return api.call(request, Volume::of);
  }

  /** Without checkpoints. */
  public List<Volume> list() {
    return api.fetch(PATH, Volumes::items);
  }

  public List<Volume> checkpoints(String idOrName) {
    return api.fetch(pathOf(idOrName) + "/checkpoints", Volumes::items);
  }

  /**
   * The volume of that id or name, or the checkpoint of that id.
   *
   * @throws CoveApiException with code {@code not_found} when there is none
   */
  public Volume require(String idOrName) {
    return api.fetch(pathOf(idOrName), Volume::of);
  }

  public Optional<Volume> find(String idOrName) {
    try {
      return Optional.of(require(idOrName));
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Refused while a sandbox has it. */
  public void delete(String idOrName) {
    api.order(Request.of("DELETE", pathOf(idOrName)));
  }

  /** Its files, without a sandbox. Refused while a sandbox may write to it. */
  public VolumeFiles files(String idOrName) {
    return new VolumeFiles(new SandboxFiles(api, pathOf(idOrName) + "/files", ""));
  }

  private static List<Volume> items(JsonObject json) {
    return json.objects("items").stream().map(Volume::of).toList();
  }

  private static String pathOf(String idOrName) {
    return PATH + "/" + Api.encode(idOrName);
  }
}
