package dev.cove.sdk;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Which lines of a log are wanted. Begin with {@link #all}; each method gives a copy.
 *
 * @param after only what came after the line with that id
 * @param tail begin so many lines before the end; not together with after
 * @param since nothing older
 * @param service only of that service
 * @param stream only stdout, stderr or cove
 */
public record LogQuery(
    OptionalLong after,
    OptionalInt tail,
    Optional<Instant> since,
    Optional<String> service,
    Optional<String> stream) {
  public static LogQuery all() {
    return new LogQuery(
        OptionalLong.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  public LogQuery after(long id) {
    return new LogQuery(OptionalLong.of(id), OptionalInt.empty(), since, service, stream);
  }

  public LogQuery tail(int lines) {
    return new LogQuery(OptionalLong.empty(), OptionalInt.of(lines), since, service, stream);
  }

  public LogQuery since(Instant time) {
    return new LogQuery(after, tail, Optional.of(time), service, stream);
  }

  public LogQuery service(String name) {
    return new LogQuery(after, tail, since, Optional.of(name), stream);
  }

  public LogQuery stream(String name) {
    return new LogQuery(after, tail, since, service, Optional.of(name));
  }

  String parameters(OptionalLong limit) {
    var parameters = new ArrayList<String>();
    after.ifPresent(id -> parameters.add("after=" + id));
    tail.ifPresent(lines -> parameters.add("tail=" + lines));
    limit.ifPresent(count -> parameters.add("limit=" + count));
    since.ifPresent(time -> parameters.add("since=" + Api.encode(time.toString())));
    service.ifPresent(name -> parameters.add("service=" + Api.encode(name)));
    stream.ifPresent(name -> parameters.add("stream=" + Api.encode(name)));
    return parameters.isEmpty() ? "" : "?" + String.join("&", parameters);
  }
}
