package dev.cove.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    description = "Print a script that lets the shell complete verbs and options.",
    footer = {
      "",
      "Examples:",
      "  source <(cove completion bash)",
      "  cove completion zsh >> ~/.zshrc",
    })
final class Completion implements Callable<Integer> {
  private static final String FOR_ZSH =
      "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

  private enum Kind {
    bash,
    zsh
  }

  private final Session session;

  @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
  private Kind kind = Kind.bash;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  Completion(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    String script = AutoComplete.bash("cove", spec.root().commandLine());
    session.println(kind == Kind.zsh ? FOR_ZSH + script : script);
    return ExitCode.OK;
  }
}
