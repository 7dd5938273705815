package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Run implements Callable<Integer> {
  private final Session session;

  private CreateFlags createFlags = new CreateFlags();

  private CommandFlags commandFlags = new CommandFlags();

  private boolean keep;

  private List<String> words = List.of();

  private Run(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var run = new Run(session);
    return Description.of(
            run,
            "Run a command in a new sandbox and remove the sandbox; starts the local server if"
                + " need be.")
        .with(run.createFlags::describe)
        .with(run.commandFlags::describe)
        .flag(
            "--keep", "Leave the sandbox there, and print its id to stderr.", () -> run.keep = true)
        .parameters("1..*", "COMMAND", "The program and its arguments.", words -> run.words = words)
        .examples(
            "cove run -- python3 -c 'print(\"hello from a sandbox\")'",
            "cove run --memory 256M --timeout 10s -- ./untrusted",
            "cove run -t -- bash")
        .build();
  }

  @Override
  public Integer call() {
    List<String> argv = CommandFlags.withoutDelimiter(words);
    if (argv.isEmpty()) {
      throw new UserError("Say which command to run: cove run -- COMMAND");
    }
    var stop = new AttachedCommand.Stop();
    var attached = new AttachedCommand(session, stop);
    dev.cove.sdk.Command command = commandFlags.command(argv);
    if (commandFlags.tty()) {
      command = AttachedCommand.withTerminalVariables(command, session);
    }
    // Listening begins before there is a sandbox: a Ctrl-C while it is made must still remove it.
    try (Signals _ = attached.listen();
        Cove cove = LocalStart.connectOrStart(session);
        Sandbox sandbox = cove.sandboxes().create(createFlags.options(Map.of()))) {
      if (keep) {
        sandbox.detach();
        session.note(sandbox.id());
      }
      return attached.run(sandbox, command, commandFlags.tty(), commandFlags.interactive());
    }
  }
}
