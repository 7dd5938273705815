package dev.cove.control.log;

import java.time.Instant;
import java.util.Optional;

/** Which lines are wanted. */
public record LogFilter(
    Optional<String> service, Optional<LogLine.Stream> stream, Optional<Instant> since) {
  public static final LogFilter ALL =
      new LogFilter(Optional.empty(), Optional.empty(), Optional.empty());

  boolean wants(LogLine line) {
    return service.map(line.piece().service()::equals).orElse(true)
        && stream.map(line.piece().stream()::equals).orElse(true)
        && since.map(first -> !line.time().isBefore(first)).orElse(true);
  }
}
