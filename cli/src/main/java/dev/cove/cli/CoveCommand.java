package dev.cove.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** What stands above all verbs; {@link Verbs} lists them. */
final class CoveCommand implements Callable<Integer> {
  private final Session session;
  private boolean version;

  private CoveCommand(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var cove = new CoveCommand(session);
    CommandSpec spec =
        Description.of(cove, "Isolated computers for agents, on your own machine.")
            .flag("-V --version", "Show the version.", () -> cove.version = true)
            .examples(
                "cove run -- python3 -c 'print(\"hello from a sandbox\")'",
                "box=$(cove create); cove exec $box -- uname -a; cove rm $box",
                "cove shell my-box")
            .note("COVE_URL and COVE_API_KEY name a server; without them the local one is used.")
            .note("COVE_PROJECT names the project that an operator's key acts in.")
            .note("COVE_HOME moves all local data and run-time files under one folder.")
            .build();
    spec.name("cove");
    spec.usageMessage().synopsisSubcommandLabel("VERB").commandListHeading("%nVerbs:%n");
    return spec;
  }

  @Override
  public Integer call() {
    if (version) {
      session.println("cove " + Version.current());
      return ExitCode.OK;
    }
    throw new UserError("Say what to do, for example: cove run -- ls. See 'cove --help'");
  }
}
