package dev.cove.cli;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Shell implements Callable<Integer> {
  /** Takes bash where the sandbox has it. */
  private static final String PICK_SHELL =
      "if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi";

  private final Session session;

  private Optional<String> user = Optional.empty();

  private Optional<String> cwd = Optional.empty();

  private String box = "";

  private Shell(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var shell = new Shell(session);
    return Description.of(shell, "Open a shell in a sandbox, with a real terminal.")
        .text(
            "-u --user",
            "USER",
            "Whose shell; default 'user'.",
            user -> shell.user = Optional.of(user))
        .text(
            "-w --cwd",
            "FOLDER",
            "Where it begins; default the project's folder, or the user's home.",
            folder -> shell.cwd = Optional.of(folder))
        .parameter("BOX", "The sandbox's id or name.", box -> shell.box = box)
        .examples("cove shell my-box", "cove shell --user root my-box")
        .build();
  }

  @Override
  public Integer call() {
    Command command = Command.shell(PICK_SHELL);
    if (user.isPresent()) {
      command = command.user(user.get());
    }
    command = AttachedCommand.withTerminalVariables(command, session);
    var attached = new AttachedCommand(session, new AttachedCommand.Stop());
    // Commands from a pipe need no terminal, and an echo of them would only be in the way.
    boolean tty = session.terminal().isInput();
    try (Cove cove = session.connect();
        Signals _ = attached.listen()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      Optional<String> folder = cwd.or(() -> ProjectFolders.workingFolder(sandbox.info()));
      return attached.run(
          sandbox, folder.map(command::cwd).orElse(command), tty, CommandFlags.Interactive.yes);
    }
  }
}
