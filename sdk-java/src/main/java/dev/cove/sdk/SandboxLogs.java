package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Request;
import java.util.List;
import java.util.OptionalLong;

/** What the services of a sandbox have said. Reading it does not wake the sandbox. */
public final class SandboxLogs {
  private final Api api;
  private final String path;

  SandboxLogs(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/logs";
  }

  /**
   * Some lines in a row.
   *
   * @param next to be given to {@link LogQuery#after}
   * @param more whether there are further ones already
   * @param dropped whether lines that were to come first have made room for newer ones
   */
  public record Page(List<LogLine> items, long next, boolean more, boolean dropped) {
    public Page {
      items = List.copyOf(items);
    }
  }

  /** Those that there are, the oldest first; at most so many. */
  public Page list(LogQuery query, int limit) {
    return api.fetch(path + query.parameters(OptionalLong.of(limit)), SandboxLogs::page);
  }

  /** Those that there are, and those that come from now on. */
  public LogFeed follow(LogQuery query) {
    Request request =
        Request.of("GET", path + query.parameters(OptionalLong.empty()))
            .header("Accept", "text/event-stream")
            .readTimeout(FileWatch.SILENCE_LIMIT);
    return new LogFeed(api.send(request));
  }

  private static Page page(JsonObject json) {
    return new Page(
        json.objects("items").stream().map(LogLine::of).toList(),
        json.requireLong("next"),
        json.flag("more"),
        json.flag("dropped"));
  }
}
