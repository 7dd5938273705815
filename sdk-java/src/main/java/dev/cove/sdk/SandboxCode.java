package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The code interpreter of a sandbox. */
public final class SandboxCode {
  /** A picture may be large. */
  private static final int MAX_EVENT = 32 * 1024 * 1024;

  private final Api api;
  private final String path;

  SandboxCode(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/code";
  }

  public CodeResult run(CodeRun run) {
    return run(run, CodeListener.silent());
  }

  /**
   * Runs code to its end. Whoever is interrupted meanwhile leaves, and the code is interrupted too.
   *
   * @throws CoveApiException when it can't be run; that it fails is a result
   */
  public CodeResult run(CodeRun run, CodeListener listener) {
    Request request =
        Request.of("POST", path)
            .body(Body.json(Json.write(run.toJson())))
            .header("Accept", "text/event-stream")
            .readTimeout(Duration.ZERO);
    var told = new Told(listener);
    try (var events = new EventReader(api.send(request), "The code", MAX_EVENT)) {
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        if (told.ended(event.get())) {
          return told.result();
        }
      }
    }
    throw new CoveConnectionException("The server did not say how the code ended");
  }

  /** Those that languages have of themselves, and those that were made. */
  public List<CodeContext> contexts() {
    return api.fetch(
        path + "/contexts", json -> json.objects("items").stream().map(CodeContext::of).toList());
  }

  public CodeContext createContext(String language) {
    return create(JsonObject.builder().put("language", language).build());
  }

  /**
   * @param cwd the folder that it starts in
   */
  public CodeContext createContext(String language, String cwd) {
    return create(JsonObject.builder().put("language", language).put("cwd", cwd).build());
  }

  private CodeContext create(JsonObject wish) {
    return api.call("POST", path + "/contexts", wish, CodeContext::of);
  }

  /** Lets a context forget everything; what it runs is ended. */
  public void restart(String contextId) {
    api.order(Request.of("POST", pathOf(contextId) + "/restart"));
  }

  public void remove(String contextId) {
    api.order(Request.of("DELETE", pathOf(contextId)));
  }

  private String pathOf(String contextId) {
    return path + "/contexts/" + Api.encode(contextId);
  }

  /** What was heard so far. */
  private static final class Told {
    private final CodeListener listener;
    private final StringBuilder stdout = new StringBuilder();
    private final StringBuilder stderr = new StringBuilder();
    private final List<CodeValue> values = new ArrayList<>();
    private Optional<CodeFailure> failure = Optional.empty();
    private int count;

    Told(CodeListener listener) {
      this.listener = listener;
    }

    boolean ended(EventReader.Event event) {
      switch (event.name()) {
        case "start" -> count = event.as(json -> json.requireInt("executionCount"));
        case "stdout" -> {
          String text = event.as(json -> json.requireText("data"));
          stdout.append(text);
          listener.stdout(text);
        }
        case "stderr" -> {
          String text = event.as(json -> json.requireText("data"));
          stderr.append(text);
          listener.stderr(text);
        }
        case "result" -> {
          CodeValue value = event.as(CodeValue::of);
          values.add(value);
          listener.value(value);
        }
        case "exception" -> {
          CodeFailure thrown = event.as(CodeFailure::of);
          failure = Optional.of(thrown);
          listener.failure(thrown);
        }
        case "error" -> throw event.problem();
        case "end" -> {
          return true;
        }
        default -> {
          // A later server may have more to say than we understand.
        }
      }
      return false;
    }

    CodeResult result() {
      return new CodeResult(count, stdout.toString(), stderr.toString(), values, failure);
    }
  }
}
