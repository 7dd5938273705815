package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "exec",
    description = "Run a command in a sandbox; its exit code becomes ours.",
    footer = {
      "",
      "Examples:",
      "  cove exec box -- uname -a",
      "  cat data | cove exec box -- sh -c 'wc -c'",
      "  cove exec --user root --timeout 5m box -- apt-get install -y jq",
      "",
      "125 means that Cove failed, 126 that the program can't be run, 127 that it was not found.",
    })
final class Exec implements Callable<Integer> {
  private final Session session;

  @Mixin private CommandFlags flags = new CommandFlags();

  @Parameters(index = "0", paramLabel = "BOX", description = "The sandbox's id or name.")
  private String box = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The program and its arguments.")
  private List<String> words = List.of();

  Exec(Session session) {
    this.session = session;
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
      dev.cove.sdk.Command command = flags.command(argv);
      if (flags.tty()) {
        command = AttachedCommand.withTerminalVariables(command, session);
      }
      return attached.run(cove.sandboxes().require(box), command, flags.tty(), flags.interactive());
    }
  }
}
