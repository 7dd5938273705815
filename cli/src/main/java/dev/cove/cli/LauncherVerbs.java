package dev.cove.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Verbs that the launcher answers itself, because they run on another class path or before there is
 * anything to run. They stand here for help and completion.
 */
final class LauncherVerbs {
  private LauncherVerbs() {}

  @Command(
      name = "server",
      description = "Run the server in the foreground.",
      footer = {
        "",
        "Example: COVE_HOME=/tmp/cove cove server --port 7171",
      })
  static final class Server extends Relayed {
    Server(Session session) {
      super(session, "server");
    }
  }

  @Command(
      name = "doctor",
      description = "Say what this machine lacks for running sandboxes, and why it matters.")
  static final class Doctor extends Relayed {
    Doctor(Session session) {
      super(session, "doctor");
    }
  }

  @Command(
      name = "bench",
      description = "Measure Cove beside the other runtimes that are installed here.")
  static final class Bench extends Relayed {
    Bench(Session session) {
      super(session, "bench");
    }
  }

  @Command(name = "verify", description = "Build everything and run all tests.")
  static final class Verify extends Relayed {
    Verify(Session session) {
      super(session, "verify");
    }
  }

  /** Hands the verb back to the launcher. */
  abstract static class Relayed implements Callable<Integer> {
    private final Session session;
    private final String verb;

    @Parameters(arity = "0..*", paramLabel = "ARG", description = "Passed on as they are.")
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
