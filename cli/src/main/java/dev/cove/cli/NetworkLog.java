package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.NetworkLogEntry;
import dev.cove.sdk.Sandbox;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Shows what a sandbox wanted to reach. */
final class NetworkLog implements Callable<Integer> {
  private static final int MOST = 1_000;

  private final Session session;
  private final Table table =
      new Table(
          "TIME", "OUTCOME", "DESTINATION", "DIALLED", "COUNT", "SENT", "RECEIVED", "TOOK", "RULE");

  private int limit = 100;

  private boolean follow;

  private String box = "";

  private boolean json;

  private NetworkLog(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var log = new NetworkLog(session);
    return Description.of(
            log, "Show what a sandbox wanted to reach, and which rule decided; the newest last.")
        .value(
            "--limit",
            "N",
            "At most so many, the newest; default 100, at most 1000.",
            NetworkLog::count,
            Integer.class,
            count -> log.limit = count)
        .flag("-f --follow", "Go on with what is new, until Ctrl-C.", () -> log.follow = true)
        .flag(
            "--json",
            "Print a JSON array; with --follow, an object on each line.",
            () -> log.json = true)
        .parameter("BOX", "The sandbox's id or name.", box -> log.box = box)
        .examples("cove network log box", "cove network log --follow --json box")
        .note("With --follow, an entry whose numbers have grown is shown again.")
        .build();
  }

  private static int count(String text) {
    if (!text.matches("[1-9][0-9]{0,3}") || Integer.parseInt(text) > MOST) {
      throw new TypeConversionException("'" + text + "' is not a number from 1 to " + MOST);
    }
    return Integer.parseInt(text);
  }

  @Override
  public Integer call() throws InterruptedException {
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      if (follow) {
        follow(sandbox);
      } else if (json) {
        session.println(JsonLines.array(sandbox.networkLog(limit), NetworkLogEntry::toJson));
      } else {
        print(sandbox.networkLog(limit), session.printer());
      }
    }
    return ExitCode.OK;
  }

  private void follow(Sandbox sandbox) throws InterruptedException {
    PrintStream out = session.printer();
    // Always all that there is: between two looks there may have been more than are shown at first.
    List<NetworkLogEntry> first = sandbox.networkLog(MOST);
    print(first.subList(Math.max(0, first.size() - limit), first.size()), out);
    new Following<>(() -> sandbox.networkLog(MOST), Function.identity(), fresh -> print(fresh, out))
        .from(first, out);
  }

  private void print(List<NetworkLogEntry> entries, PrintStream out) {
    if (json) {
      entries.forEach(entry -> out.print(entry.toJson() + "\n"));
      return;
    }
    for (NetworkLogEntry entry : entries) {
      table.row(
          entry.time().toString(),
          entry.outcome(),
          entry.destination(),
          entry.dialled(),
          Long.toString(entry.count()),
          Human.bytes(entry.sentBytes()),
          Human.bytes(entry.receivedBytes()),
          entry.duration().toMillis() + "ms",
          entry.rule());
    }
    table.print(out, session.colours());
  }
}
