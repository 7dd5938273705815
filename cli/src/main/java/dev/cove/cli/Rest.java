package dev.cove.cli;

import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/** The verbs that let sandboxes rest or take them out of it. */
final class Rest implements Callable<Integer> {
  private final Session session;
  private Function<Sandbox, SandboxInfo> verb;
  private List<String> boxes = List.of();

  private Rest(Session session, Function<Sandbox, SandboxInfo> verb) {
    this.session = session;
    this.verb = verb;
  }

  static CommandSpec describePause(Session session) {
    var rest = new Rest(session, Sandbox::pause);
    return rest.boxes("Make sandboxes stand still; memory is kept, and whoever uses one wakes it.")
        .examples("cove pause box")
        .build();
  }

  static CommandSpec describeResume(Session session) {
    var rest = new Rest(session, Sandbox::resume);
    return rest.boxes("Let paused sandboxes go on.").examples("cove resume box").build();
  }

  static CommandSpec describeStop(Session session) {
    var rest = new Rest(session, Sandbox::stop);
    return rest.boxes("End the processes of sandboxes in order; files are kept.")
        .value(
            "--grace",
            "SECONDS",
            "From SIGTERM to SIGKILL, 0 to 50 (default 10).",
            Long::valueOf,
            Long.class,
            grace -> rest.verb = box -> box.stop(Duration.ofSeconds(grace), false))
        .examples("cove stop --grace 30 box")
        .build();
  }

  static CommandSpec describeStart(Session session) {
    var rest = new Rest(session, Sandbox::start);
    return rest.boxes("Start stopped sandboxes on their files, with their services.")
        .examples("cove start box")
        .build();
  }

  private Description boxes(String help) {
    return Description.of(this, help)
        .parameters("1..*", "BOX", "Ids or names.", given -> boxes = given);
  }

  @Override
  public Integer call() {
    return new OneByOne(session)
        .of(
            boxes,
            (cove, box) -> {
              SandboxInfo now = verb.apply(cove.sandboxes().require(box));
              session.println(now.id() + " " + state(now));
            });
  }

  private static String state(SandboxInfo box) {
    return box.memory().map(memory -> box.state() + ", memory " + memory).orElse(box.state());
  }
}
