package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Request;
import dev.cove.sdk.transport.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Optional;

/** Puts the pages of an answer together. */
final class UsagePages {
  private static final int MAX_CSV = 64 * 1024 * 1024;

  private final Api api;

  UsagePages(Api api) {
    this.api = api;
  }

  private record Page(Usage usage, Optional<String> next) {
    static Page of(JsonObject json) {
      return new Page(
          new Usage(
              json.requireInstant("from"),
              json.requireInstant("to"),
              json.findText("currency"),
              json.objects("items").stream().map(Usage.Item::of).toList()),
          json.findText("nextCursor"));
    }
  }

  Usage fetch(UsageQuery query) {
    Page page = api.fetch(query.path("json", Optional.empty()), Page::of);
    var items = new ArrayList<>(page.usage().items());
    while (page.next().isPresent()) {
      page = api.fetch(query.path("json", page.next()), Page::of);
      items.addAll(page.usage().items());
    }
    return new Usage(page.usage().from(), page.usage().to(), page.usage().currency(), items);
  }

  String fetchCsv(UsageQuery query) {
    var text = new StringBuilder();
    Optional<String> cursor = Optional.empty();
    do {
      Request request = Request.of("GET", query.path("csv", cursor));
      try (Response response = api.send(request)) {
        String page = new String(response.readAll(MAX_CSV), StandardCharsets.UTF_8);
        text.append(cursor.isPresent() ? page.substring(page.indexOf('\n') + 1) : page);
        cursor = response.header("cove-next-cursor");
      } catch (IOException e) {
        throw api.unreachable(e);
      }
    } while (cursor.isPresent());
    return text.toString();
  }
}
