package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.LogFeed;
import dev.cove.sdk.LogLine;
import dev.cove.sdk.LogQuery;
import dev.cove.sdk.SandboxLogs;
import java.io.PrintStream;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Shows what the services of a sandbox have said. */
final class Logs implements Callable<Integer> {
  private static final int PAGE = 1_000;
  private static final int MAX_TAIL = 10_000;

  private final Session session;
  private String box = "";
  private LogQuery query = LogQuery.all();
  private boolean follow;
  private boolean json;
  private boolean raw;
  private boolean times;

  private Logs(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var logs = new Logs(session);
    return Description.of(logs, "Show what the start command and services of a sandbox have said.")
        .flag("-f --follow", "Go on with what they say, until Ctrl-C.", () -> logs.follow = true)
        .value(
            "--tail",
            "N",
            "Only the last N lines, 0 to 10000.",
            Logs::lines,
            Integer.class,
            lines -> logs.query = logs.query.tail(lines))
        .value(
            "--since",
            "TIME",
            "Nothing older: 90s, 10m, 2h, 1d, or a time such as 2030-01-31T12:00:00Z.",
            text -> Since.parse(text, Instant.now()),
            Instant.class,
            since -> logs.query = logs.query.since(since))
        .text(
            "--service",
            "NAME",
            "Only of that service; a start command is called start.",
            name -> logs.query = logs.query.service(name))
        .text(
            "--stream",
            "STREAM",
            "Only stdout, stderr, or cove: what the server says about the service.",
            name -> logs.query = logs.query.stream(name))
        .flag("-t --times", "Print the time before each line.", () -> logs.times = true)
        .flag("--json", "Print an object on each line.", () -> logs.json = true)
        .flag(
            "--raw",
            "Print lines as they are, also what drives the terminal.",
            () -> logs.raw = true)
        .parameter("BOX", "The sandbox's id or name.", box -> logs.box = box)
        .examples("cove logs box", "cove logs -f --tail 20 --service web box")
        .note(
            "The newest of it is kept, 8 MiB for each sandbox unless the server is set otherwise."
                + " Reading it does not wake the sandbox.")
        .build();
  }

  private static Integer lines(String text) {
    if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) > MAX_TAIL) {
      throw new TypeConversionException(
          "'" + text + "' is not a number of lines between 0 and " + MAX_TAIL);
    }
    return Integer.valueOf(text);
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect();
        PrintStream out = session.printer()) {
      SandboxLogs logs = cove.sandboxes().require(box).logs();
      if (follow) {
        follow(logs, out);
      } else {
        list(logs, out);
      }
    }
    return ExitCode.OK;
  }

  private void list(SandboxLogs logs, PrintStream out) {
    int limit = query.tail().orElse(PAGE);
    if (limit == 0) {
      return;
    }
    SandboxLogs.Page page = logs.list(query, limit);
    page.items().forEach(line -> print(line, out));
    while (page.more() && !out.checkError()) {
      page = logs.list(query.after(page.next()), PAGE);
      page.items().forEach(line -> print(line, out));
    }
  }

  private void follow(SandboxLogs logs, PrintStream out) {
    try (LogFeed feed = logs.follow(query)) {
      Optional<LogLine> line = feed.next();
      while (line.isPresent() && !out.checkError()) {
        print(line.get(), out);
        out.flush();
        line = feed.next();
      }
    }
  }

  private void print(LogLine line, PrintStream out) {
    if (json) {
      out.print(line.toJson() + "\n");
      return;
    }
    boolean asIs = raw || !session.terminal().isOutput();
    String text = asIs ? line.text() : Escapes.visible(line.text());
    String time = times ? line.time() + " " : "";
    String who = query.service().isPresent() ? "" : line.service() + " | ";
    out.print(time + who + text + "\n");
  }
}
