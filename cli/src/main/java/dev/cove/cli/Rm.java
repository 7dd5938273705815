package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Rm implements Callable<Integer> {
  private final Session session;

  private boolean force;

  private Optional<Duration> kept = Optional.empty();

  private boolean now;

  private List<String> boxes = List.of();

  private Rm(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var rm = new Rm(session);
    return Description.of(rm, "Remove sandboxes and all that is in them.")
        .flag("-f --force", "Say nothing of sandboxes that are not there.", () -> rm.force = true)
        .value(
            "--grace",
            "TIME",
            "Keep them for so long, stopped, such as 1h or 7d; 'cove undelete' takes it back. Their"
                + " names are free at once.",
            new CommandFlags.Time(Duration.ofDays(3_650), "3650d"),
            Duration.class,
            kept -> rm.kept = Optional.of(kept))
        .flag(
            "--now",
            "Remove them for good, also those that are deleted and kept.",
            () -> rm.now = true)
        .parameters("1..*", "BOX", "Ids or names.", boxes -> rm.boxes = boxes)
        .examples("cove rm box other-box", "cove rm --grace 1h box", "cove rm --now box")
        .build();
  }

  @Override
  public Integer call() {
    if (now && kept.isPresent()) {
      throw new Misuse("Give --grace or --now, not both");
    }
    OneByOne removal = new OneByOne(session);
    return (force ? removal.orAbsent() : removal).of(boxes, this::remove);
  }

  private void remove(Cove cove, String box) {
    Optional<Duration> time = now ? Optional.of(Duration.ZERO) : kept;
    if (time.isPresent()) {
      cove.sandboxes().delete(box, time.get());
    } else {
      cove.sandboxes().delete(box);
    }
  }
}
