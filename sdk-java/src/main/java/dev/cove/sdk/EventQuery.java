package dev.cove.sdk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which events are wanted. Begin with {@link #all}; each method gives a copy.
 *
 * @param after only what came after the event with that id
 * @param sandbox the id or name of the sandbox that they are about
 * @param types such as sandbox.running, or sandbox.* for all of a kind; none for all
 */
public record EventQuery(OptionalLong after, Optional<String> sandbox, List<String> types) {
  public EventQuery {
    types = List.copyOf(types);
  }

  public static EventQuery all() {
    return new EventQuery(OptionalLong.empty(), Optional.empty(), List.of());
  }

  public EventQuery after(long id) {
    return new EventQuery(OptionalLong.of(id), sandbox, types);
  }

  public EventQuery sandbox(String idOrName) {
    return new EventQuery(after, Optional.of(idOrName), types);
  }

  public EventQuery types(String... wanted) {
    return new EventQuery(after, sandbox, List.of(wanted));
  }

  String path(OptionalLong limit) {
    var parameters = new ArrayList<String>();
    after.ifPresent(id -> parameters.add("after=" + id));
    limit.ifPresent(count -> parameters.add("limit=" + count));
    sandbox.ifPresent(box -> parameters.add("sandbox=" + Api.encode(box)));
    types.forEach(type -> parameters.add("type=" + Api.encode(type)));
    return Api.ROOT + "/events" + (parameters.isEmpty() ? "" : "?" + String.join("&", parameters));
  }
}
