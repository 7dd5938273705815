package dev.cove.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The list of verbs. */
@Command(
    name = "cove",
    description = "Isolated computers for agents, on your own machine.",
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  cove run -- python3 -c 'print(\"hello from a sandbox\")'",
      "  box=$$(cove create); cove exec $$box -- uname -a; cove rm $$box",
      "  cove shell my-box",
      "",
      "COVE_URL and COVE_API_KEY name a server; without them the local one is used.",
      "COVE_HOME moves all local data and run-time files under one folder."
    },
    subcommands = {
      Run.class,
      Create.class,
      Ls.class,
      Exec.class,
      Shell.class,
      Ps.class,
      Top.class,
      Rm.class,
      Up.class,
      Down.class,
      Env.class,
      Key.class,
      LauncherVerbs.Server.class,
      LauncherVerbs.Doctor.class,
      LauncherVerbs.Bench.class,
      LauncherVerbs.Verify.class,
      Completion.class,
      Version.class,
      HelpCommand.class
    })
final class CoveCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = {"-V", "--version"},
      description = "Show the version.")
  private boolean version;

  @Override
  public void run() {
    if (version) {
      spec.commandLine().getOut().println("cove " + Version.current());
      return;
    }
    throw new ParameterException(spec.commandLine(), "Say what to do, for example: cove run -- ls");
  }
}
