package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Life;
import dev.cove.sdk.LifeChange;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Shows or changes what happens to a sandbox by itself. */
final class LifeVerb implements Callable<Integer> {
  private final Session session;
  private final LifeFlags flags = new LifeFlags();
  private boolean mayRest;
  private String box = "";
  private boolean json;

  private LifeVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var life = new LifeVerb(session);
    return Description.of(
            life, "Say how long a sandbox runs, rests and lives by itself, and show it.")
        .with(life.flags::describe)
        .flag("--no-keep-alive", "Take back --keep-alive.", () -> life.mayRest = true)
        .flag("--json", "Print JSON.", () -> life.json = true)
        .parameter("BOX", "The sandbox's id or name.", v -> life.box = v)
        .examples(
            "cove life box",
            "cove life box --idle 1h --paused-for 30d",
            "cove life box --max-life 2h   # from now on: a longer life for one that runs",
            "cove life box --idle default --on-host-restart start")
        .note("What is not said of a sandbox, its template says, or the server.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      Optional<LifeChange> said = flags.change();
      if (mayRest) {
        said = Optional.of(said.orElse(LifeChange.none()).keepAlive(false));
      }
      SandboxInfo info = said.map(sandbox::changeLife).orElse(sandbox.info());
      print(info.life());
    }
    return ExitCode.OK;
  }

  private void print(Life life) {
    if (json) {
      session.println(life.toJson());
      return;
    }
    boolean kept = life.keepAlive().orElse(false);
    session.println("paused when idle for   " + (kept ? "never: kept alive" : time(life.idle())));
    session.println("stopped when paused    " + time(life.pausedFor()));
    session.println("lives for              " + time(life.maxLife()));
    life.endsAt()
        .ifPresent(end ->
            session.println(
                "until                  " + end + ", then " + life.onEnd().orElse("stop")));
    session.println("after a host restart   " + life.onHostRestart().orElse("stop"));
  }

  private static String time(Optional<Duration> time) {
    return time.filter(one -> !one.isZero()).map(LifeVerb::text).orElse("for ever");
  }

  /** In the largest unit that leaves nothing over. */
  static String text(Duration time) {
    long seconds = time.toSeconds();
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3_600 == 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }
}
