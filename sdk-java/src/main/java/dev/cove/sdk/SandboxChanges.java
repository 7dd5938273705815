package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import dev.cove.sdk.transport.Response;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What a sandbox changed in projects of the server's host, and what becomes of it. */
public final class SandboxChanges {
  /** Many files may have to be compared or written. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private static final int LARGEST_PATCH = 128 << 20;

  private final Api api;
  private final String path;

  SandboxChanges(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/changes";
  }

  public ChangePage list(ChangeQuery query) {
    return api.call(Request.of("GET", path + query.parameters()).readTimeout(LONG), ChangePage::of);
  }

  /**
   * The bytes of a file, or where a link leads. The caller closes the stream.
   *
   * @param project by its target
   * @param version base, sandbox, host, or {@code @3} for the state before command 3
   * @throws CoveApiException with code {@code not_found} where that version has none
   */
  public InputStream content(String project, String file, String version) {
    String query =
        "?project=%s&path=%s&version=%s"
            .formatted(Api.encode(project), Api.encode(file), Api.encode(version));
    return api.send(Request.of("GET", path + "/content" + query)).body();
  }

  /** All of it as git writes it, of one project. */
  public byte[] patch(ChangeQuery query) {
    var request = Request.of("GET", path + "/patch" + query.parameters()).readTimeout(LONG);
    try (Response response = api.send(request)) {
      return response.readAll(LARGEST_PATCH);
    } catch (IOException e) {
      throw api.unreachable(e);
    }
  }

  /**
   * Takes changes over into the host's folder: all that are asked for, or none.
   *
   * @throws ApplyConflictException where somebody has to decide first
   */
  public ApplyResult apply(ApplyRequest request) {
    return change("/apply", request.toBody(), ApplyResult::of);
  }

  /**
   * Has the host's versions in the sandbox again.
   *
   * @param project by its target; needed where the sandbox has several
   * @param paths at, and below, which; none for all
   * @return the checkpoint of the state before
   */
  public String discard(Optional<String> project, List<String> paths) {
    var json = of(project);
    if (paths.isEmpty()) {
      json.put("all", true);
    } else {
      json.put("paths", JsonValue.ofTexts(paths));
    }
    return change("/discard", json.build(), answer -> answer.requireText("checkpoint"));
  }

  /**
   * Takes back what was last applied to the host's folder.
   *
   * @throws ApplyConflictException where the host has changed since
   */
  public ApplyResult undo(Optional<String> project) {
    return change("/undo", of(project).build(), ApplyResult::of);
  }

  /** Ends an apply that was cut short, which the server also does when it starts. */
  public ApplyResult recover(Optional<String> project) {
    return change("/recover", of(project).build(), ApplyResult::of);
  }

  private static JsonObject.Builder of(Optional<String> project) {
    var json = JsonObject.builder();
    project.ifPresent(target -> json.put("project", target));
    return json;
  }

  private <T> T change(String verb, JsonObject body, Function<JsonObject, T> reader) {
    Request request =
        Request.of("POST", path + verb).body(Body.json(Json.write(body))).readTimeout(LONG);
    return api.call(request, reader);
  }
}
