package dev.cove.cli;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Run implements Callable<Integer> {
  private final Session session;

  private CreateFlags createFlags = new CreateFlags();

  private CommandFlags commandFlags = new CommandFlags();

  private final ProjectFlag where = new ProjectFlag();

  private boolean keep;

  private List<String> words = List.of();

  private Run(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var run = new Run(session);
    return Description.of(
            run,
            "Run a command in a new sandbox and remove the sandbox, unless it changed a project;"
                + " starts the local server if need be.")
        .with(run.createFlags::describe)
        .with(run.where::describe)
        .with(run.commandFlags::describe)
        .flag(
            "--keep", "Leave the sandbox there, and print its id to stderr.", () -> run.keep = true)
        .parameters(
            "0..*",
            "COMMAND",
            "The program and its arguments; by default what the template or image says.",
            words -> run.words = words)
        .examples(
            "cove run -- python3 -c 'print(\"hello from a sandbox\")'",
            "cove run --image alpine:3.22 -- cat /etc/os-release",
            "cove run --memory 256M --timeout 10s -- ./untrusted",
            "cove run --allow api.example.com:443 -- curl https://api.example.com/",
            "cove run -t -- bash",
            "cove run --project . -- make test; cove diff; cove apply")
        .build();
  }

  @Override
  public Integer call() {
    List<String> argv = CommandFlags.withoutDelimiter(words);
    ProjectSettings settings = createFlags.projects().settings();
    settings.tell(session);
    createFlags.defaultTo(settings);
    if (argv.isEmpty() && !createFlags.mayHaveEntrypoint()) {
      throw new UserError("Say which command to run: cove run -- COMMAND");
    }
    try (Cove cove = LocalStart.connectOrStart(where.of(session))) {
      // Before listening begins: a Ctrl-C now just ends us, and with us what is being made.
      createFlags
          .provide(cove, session)
          .filter(template -> argv.isEmpty() && template.entrypoint().isEmpty())
          .ifPresent(template -> {
            throw new UserError(
                "The template %s does not say what to run; say it: cove run ... -- COMMAND"
                    .formatted(template.reference()));
          });
      return run(cove, argv, settings);
    }
  }

  private int run(Cove cove, List<String> argv, ProjectSettings settings) {
    var attached = new AttachedCommand(session, new AttachedCommand.Stop());
    // Listening begins before there is a sandbox: a Ctrl-C while it is made must still remove it.
    try (Signals _ = attached.listen();
        Sandbox sandbox = cove.sandboxes().create(createFlags.options(settings.env()))) {
      if (keep) {
        sandbox.detach();
        session.note(sandbox.id());
      }
      ProjectFolders.tellHidden(session, sandbox.info());
      Command command = commandFlags.command(argv, sandbox.info());
      if (commandFlags.tty()) {
        command = AttachedCommand.withTerminalVariables(command, session);
      }
      int code = attached.run(sandbox, command, commandFlags.tty(), commandFlags.interactive());
      if (!sandbox.info().projects().isEmpty()) {
        ReviewLater.keepIfChanged(session, sandbox);
      }
      return code;
    }
  }
}
