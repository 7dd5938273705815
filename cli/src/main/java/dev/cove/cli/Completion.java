package dev.cove.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Prints a script for the shell. */
final class Completion implements Callable<Integer> {
  private static final String FOR_ZSH =
      "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

  private enum Kind {
    BASH,
    ZSH
  }

  private final Session session;
  private Kind kind = Kind.BASH;

  private Completion(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var completion = new Completion(session);
    return Description.of(
            completion, "Print a script that lets the shell complete verbs and options.")
        .parameter(
            "SHELL", "bash or zsh.", Completion::parse, Kind.class, kind -> completion.kind = kind)
        .examples("source <(cove completion bash)", "cove completion zsh >> ~/.zshrc")
        .build();
  }

  private static Kind parse(String name) {
    return switch (name) {
      case "bash" -> Kind.BASH;
      case "zsh" -> Kind.ZSH;
      default -> throw new TypeConversionException("'" + name + "' is neither bash nor zsh");
    };
  }

  @Override
  public Integer call() {
    String script = AutoComplete.bash("cove", new CommandLineFrame(session).build());
    session.println(kind == Kind.ZSH ? FOR_ZSH + script : script);
    return ExitCode.OK;
  }
}
