package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.util.Optional;

/** Where a stream of numbered things begins. */
public final class SseStart {
  /** So long after a look another one is not worth its while, however much happens. */
  public static final Duration BREATH = Duration.ofMillis(50);

  private SseStart() {}

  /**
   * A client that comes back says in a header what it saw last; it knows no better address.
   *
   * @param what is numbered, with its article
   */
  public static Optional<Long> after(Exchange exchange, String what) {
    Optional<String> seen = exchange.header("Last-Event-ID").filter(text -> !text.isEmpty());
    if (seen.isPresent()) {
      if (!seen.get().matches("[0-9]{1,18}")) {
        throw new CoveException(
            ErrorCode.INVALID_REQUEST,
            "Header Last-Event-ID must be the id of %s.".formatted(what));
      }
      return seen.map(Long::parseLong);
    }
    return exchange.query().find("after").isPresent()
        ? Optional.of(exchange.query().number("after", 0, 0, Long.MAX_VALUE))
        : Optional.empty();
  }
}
