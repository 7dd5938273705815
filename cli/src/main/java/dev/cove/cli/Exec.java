package dev.cove.cli;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Exec implements Callable<Integer> {
  private final Session session;

  private CommandFlags flags = new CommandFlags();

  private String box = "";

  private List<String> words = List.of();

  private Exec(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var exec = new Exec(session);
    return Description.of(exec, "Run a command in a sandbox; its exit code becomes ours.")
        .with(exec.flags::describe)
        .parameter("BOX", "The sandbox's id or name.", box -> exec.box = box)
        .parameters(
            "1..*", "COMMAND", "The program and its arguments.", words -> exec.words = words)
        .examples(
            "cove exec box -- uname -a",
            "cat data | cove exec box -- sh -c 'wc -c'",
            "cove exec --user root --timeout 5m box -- apt-get install -y jq")
        .note(
            "125 means that Cove failed, 126 that the program can't be run, 127 that there is no"
                + " such program.")
        .build();
  }

  @Override
  public Integer call() {
    var attached = new AttachedCommand(session, new AttachedCommand.Stop());
    List<String> argv = CommandFlags.withoutDelimiter(words);
    if (argv.isEmpty()) {
      throw new UserError("Say which command to run: cove exec BOX -- COMMAND");
    }
    try (Cove cove = session.connect();
        Signals _ = attached.listen()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      Command command = flags.command(argv, sandbox.info());
      if (flags.tty()) {
        command = AttachedCommand.withTerminalVariables(command, session);
      }
      return attached.run(sandbox, command, flags.tty(), flags.interactive());
    }
  }
}
