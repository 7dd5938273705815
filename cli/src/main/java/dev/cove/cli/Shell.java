package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "shell",
    description = "Open a shell in a sandbox, with a real terminal.",
    footer = {
      "",
      "Examples:",
      "  cove shell my-box",
      "  cove shell --user root my-box",
    })
final class Shell implements Callable<Integer> {
  /** Takes bash where the sandbox has it. */
  private static final String PICK_SHELL =
      "if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi";

  private final Session session;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "Whose shell; default 'user'.")
  private Optional<String> user = Optional.empty();

  @Option(
      names = {"-w", "--cwd"},
      paramLabel = "FOLDER",
      description = "Where it begins; default the user's home.")
  private Optional<String> cwd = Optional.empty();

  @Parameters(index = "0", paramLabel = "BOX", description = "The sandbox's id or name.")
  private String box = "";

  Shell(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    dev.cove.sdk.Command command = dev.cove.sdk.Command.shell(PICK_SHELL);
    if (user.isPresent()) {
      command = command.user(user.get());
    }
    if (cwd.isPresent()) {
      command = command.cwd(cwd.get());
    }
    command = AttachedCommand.withTerminalVariables(command, session);
    var attached = new AttachedCommand(session, new AttachedCommand.Stop());
    // Commands from a pipe need no terminal, and an echo of them would only be in the way.
    boolean tty = session.terminal().isInput();
    try (Cove cove = session.connect();
        Signals _ = attached.listen()) {
      return attached.run(
          cove.sandboxes().require(box), command, tty, CommandFlags.Interactive.yes);
    }
  }
}
