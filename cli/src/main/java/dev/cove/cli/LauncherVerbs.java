package dev.cove.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Verbs that the launcher answers itself, because they run on another class path or before there is
 * anything to run. They stand here for help and completion.
 */
final class LauncherVerbs {
  private LauncherVerbs() {}

  static CommandSpec describeServer(Session session) {
    return relayed(session, "server", "Run the server in the foreground.")
        .examples("COVE_HOME=/tmp/cove cove server --port 7171")
        .build();
  }

  static CommandSpec describeRestoreBackup(Session session) {
    return relayed(
            session,
            "restore-backup",
            "Make a server's home of a file that 'cove backup' wrote. No server may run in it.")
        .examples(
            "cove restore-backup /backup/cove-2026-11-18",
            "cove restore-backup --replace FILE  # keeps what is there beside it")
        .build();
  }

  static CommandSpec describeDoctor(Session session) {
    return relayed(
            session,
            "doctor",
            "Say what this machine lacks for running sandboxes, and why it matters.")
        .build();
  }

  static CommandSpec describeBench(Session session) {
    return relayed(
            session, "bench", "Measure Cove beside the other runtimes that are installed here.")
        .build();
  }

  static CommandSpec describeVerify(Session session) {
    return relayed(session, "verify", "Build everything and run all tests.").build();
  }

  private static Description relayed(Session session, String verb, String text) {
    var relayed = new Relayed(session, verb);
    return Description.of(relayed, text)
        .parameters("0..*", "ARG", "Passed on as they are.", args -> relayed.args = args);
  }

  /** Hands the verb back to the launcher. */
  private static final class Relayed implements Callable<Integer> {
    private final Session session;
    private final String verb;

    private List<String> args = List.of();

    Relayed(Session session, String verb) {
      this.session = session;
      this.verb = verb;
    }

    @Override
    public Integer call() throws Exception {
      List<String> command = new ArrayList<>();
      command.add(
          session
              .launcher()
              .orElseThrow(
                  () -> new UserError("'cove " + verb + "' works through the launcher 'cove' only"))
              .toString());
      command.add(verb);
      command.addAll(args);
      return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
  }
}
