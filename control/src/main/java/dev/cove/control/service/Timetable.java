package dev.cove.control.service;

import dev.cove.control.service.ServiceLedger.Row;
import dev.cove.model.SandboxId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * When services with a schedule are due next. Safe for use by many threads.
 *
 * <p>What was due while nobody looked is due once. A clock that is set forward makes due what it
 * passed over, once; one that is set back makes nobody wait longer than to the next time of the
 * schedule.
 */
public final class Timetable {
  private final Map<SandboxId, Map<String, Line>> lines = new HashMap<>(); // guarded by this

  Timetable() {}

  /** A service whose time has come. */
  public record Due(SandboxId id, String service) {}

  private record Line(Schedule schedule, Instant next) {}

  /** These are the services of a sandbox from now on. */
  synchronized void set(SandboxId id, List<Row> rows, Instant now) {
    Map<String, Line> before = lines.getOrDefault(id, Map.of());
    var after = new HashMap<String, Line>();
    for (Row row : rows) {
      String name = row.service().name();
      row.service()
          .schedule()
          .ifPresent(schedule -> {
            Line known = before.get(name);
            after.put(
                name,
                known != null && known.schedule().equals(schedule)
                    ? known
                    : new Line(schedule, first(schedule, row.last(), now)));
          });
    }
    if (after.isEmpty()) {
      lines.remove(id);
    } else {
      lines.put(id, after);
    }
  }

  private static Instant first(Schedule schedule, Instant last, Instant now) {
    return schedule.nextAfter(last.isBefore(now) ? last : now);
  }

  synchronized void forget(SandboxId id) {
    lines.remove(id);
  }

  /** All whose time has come; each is told once. */
  synchronized List<Due> due(Instant now) {
    var due = new ArrayList<Due>();
    lines.forEach((id, services) ->
        services.replaceAll((name, line) -> {
          if (!line.next().isAfter(now)) {
            due.add(new Due(id, name));
          }
          Instant soonest = line.schedule().nextAfter(now);
          return line.next().isAfter(now) && line.next().isBefore(soonest)
              ? line
              : new Line(line.schedule(), soonest);
        }));
    return due;
  }

  synchronized Optional<Instant> next(SandboxId id, String service) {
    return Optional.ofNullable(lines.getOrDefault(id, Map.of()).get(service)).map(Line::next);
  }
}
