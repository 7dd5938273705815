package dev.cove.cli;

import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CoveException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Around every verb: parsing, help, one sentence for each failure, and the exit code. */
final class CommandLineFrame {
  /** Their exit code is that of the command they run, so Cove's own needs a place of its own. */
  private static final Set<String> RUNNERS =
      Set.of("run", "exec", "shell", "claude", "codex", "opencode");

  private static final Set<String> COMMAND_TAKERS =
      Set.of("run", "exec", "service add", "claude", "codex", "opencode");

  private final Session session;

  CommandLineFrame(Session session) {
    this.session = session;
  }

  int run(String... args) {
    CommandLine commandLine = build(args);
    return commandLine.execute(args);
  }

  CommandLine build(String... args) {
    var commandLine = new CommandLine(CoveCommand.describe(session));
    Verbs.addTo(commandLine, session, args);
    commandLine
        .setOut(new PrintWriter(session.out(), true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(session.err(), true, StandardCharsets.UTF_8))
        .setColorScheme(CommandLine.Help.defaultColorScheme(session.colours() ? Ansi.ON : Ansi.OFF))
        // A checkpoint may be called as a verb is: cove checkpoint --name ls box.
        .setAllowSubcommandsAsOptionParameters(true)
        .setParameterExceptionHandler(this::misused)
        .setExecutionExceptionHandler(this::failed);
    addHelp(commandLine);
    stopAtCommand(commandLine, args);
    return commandLine;
  }

  private static void addHelp(CommandLine commandLine) {
    CommandSpec spec = commandLine.getCommandSpec();
    if (spec.optionsMap().containsKey("--help")) {
      return;
    }
    spec.addOption(
        OptionSpec.builder("-h", "--help")
            .usageHelp(true)
            .type(boolean.class)
            .description("Show this text.")
            .build());
    commandLine.getSubcommands().forEach((name, verb) -> addHelp(verb));
  }

  /**
   * Without a {@code --}, what follows the first word that is no option belongs to the command:
   * {@code cove exec box ls -l}. With one, our own options may stand anywhere before it.
   */
  private static void stopAtCommand(CommandLine commandLine, String... args) {
    boolean delimited = Arrays.asList(args).contains("--");
    commandLine
        .getSubcommands()
        .forEach((name, verb) -> {
          verb.setStopAtPositional(!delimited && COMMAND_TAKERS.contains(name));
          verb.getSubcommands()
              .forEach((inner, its) ->
                  its.setStopAtPositional(
                      !delimited && COMMAND_TAKERS.contains(name + " " + inner)));
        });
  }

  private int misused(ParameterException e, String[] args) {
    CommandLine where = e.getCommandLine();
    PrintWriter err = where.getErr();
    err.println("cove: " + sentence(e.getMessage()));
    if (!UnmatchedArgumentException.printSuggestions(e, err)) {
      String name = where.getCommandSpec().qualifiedName();
      err.println("Try '" + name + " --help'.");
    }
    return RUNNERS.contains(where.getCommandName()) ? ExitCode.COVE_FAILED : ExitCode.USAGE;
  }

  private int failed(Exception e, CommandLine where, ParseResult parsed) throws Exception {
    boolean runner = RUNNERS.contains(where.getCommandName());
    switch (e) {
      case Misuse _ -> {
        return misused(new ParameterException(where, e.getMessage()), new String[0]);
      }
      case UserError _, CoveException _, UncheckedIOException _ ->
          where.getErr().println("cove: " + sentence(e.getMessage()));
      default -> throw e;
    }
    if (runner && e instanceof CoveApiException refusal) {
      return Refusal.exitCode(refusal);
    }
    return runner ? ExitCode.COVE_FAILED : ExitCode.FAILED;
  }

  private static String sentence(@Nullable String message) {
    String text = message == null ? "Something failed without saying why" : message.strip();
    return text.isEmpty() || ".!?".indexOf(text.charAt(text.length() - 1)) >= 0 ? text : text + ".";
  }
}
