package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes, finds and lists sandboxes. */
public final class Sandboxes {
  private static final String PATH = Api.ROOT + "/sandboxes";
  private static final int PAGE = 1_000;
  private static final Duration CREATE_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration BUILD_TIMEOUT = Duration.ofMinutes(65);

  private final Api api;

  Sandboxes(Api api) {
    this.api = api;
  }

  public Sandbox create() {
    return create(CreateOptions.defaults());
  }

  /** Makes a sandbox and returns when it runs. Closing it deletes it, unless it is detached. */
  public Sandbox create(CreateOptions options) {
    Request request =
        Request.of("POST", PATH)
            .body(Body.json(Json.write(options.toJson())))
            .readTimeout(options.mayBuild() ? BUILD_TIMEOUT : CREATE_TIMEOUT);
    Optional<String> key = options.findIdempotencyKey();
    if (key.isPresent()) {
      request = request.header("Idempotency-Key", key.get());
    }
    return new Sandbox(api, api.call(request, SandboxInfo::of), true);
  }

  /**
   * The sandbox of that id or name. Closing it does not delete it, since it was there before.
   *
   * @throws CoveApiException with code {@code not_found} when there is none
   */
  public Sandbox require(String idOrName) {
    return new Sandbox(api, api.fetch(pathOf(idOrName), SandboxInfo::of), false);
  }

  public Optional<Sandbox> find(String idOrName) {
    try {
      return Optional.of(require(idOrName));
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  public List<SandboxInfo> list() {
    return list(Map.of());
  }

  /** The sandboxes that have all of these labels. */
  public List<SandboxInfo> list(Map<String, String> labels) {
    return list(labels, "");
  }

  private List<SandboxInfo> list(Map<String, String> labels, String which) {
    var query = new StringBuilder("?limit=" + PAGE + which);
    labels.forEach((k, v) -> query.append("&label=").append(Api.encode(k + "=" + v)));
    List<SandboxInfo> all = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    while (cursor.isPresent()) {
      String from = cursor.get().isEmpty() ? "" : "&cursor=" + Api.encode(cursor.get());
      cursor =
          api.fetch(
              PATH + query + from,
              page -> {
                page.objects("items").forEach(item -> all.add(SandboxInfo.of(item)));
                return page.findText("nextCursor");
              });
    }
    return List.copyOf(all);
  }

  /** Deletes it, now or as the server is set; what it keeps for a while can be undeleted. */
  public void delete(String idOrName) {
    api.order(Request.of("DELETE", pathOf(idOrName)));
  }

  /**
   * Deletes it and keeps it for so long, stopped; its name is free at once.
   *
   * @param kept zero for one that is to go for good, also when it was to be kept
   */
  public void delete(String idOrName, Duration kept) {
    api.order(Request.of("DELETE", pathOf(idOrName) + "?grace=" + kept.toSeconds()));
  }

  /** Those that are deleted and can be undeleted. */
  public List<SandboxInfo> listDeleted() {
    return list(Map.of(), "&deleted=true");
  }

  /**
   * Takes back a deletion, by id or by the name that it had. It is stopped, under that name or, if
   * another has it now, under its id.
   */
  public Sandbox undelete(String idOrName) {
    return new Sandbox(
        api, api.call(Request.of("POST", pathOf(idOrName) + "/undelete"), SandboxInfo::of), false);
  }

  static String pathOf(String idOrName) {
    return PATH + "/" + Api.encode(idOrName);
  }
}
