package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "create",
    description = "Make a sandbox and print its id.",
    footer = {
      "",
      "Examples:",
      "  cove create --name builder --memory 2G --label team=web",
      "  cove create --json --env CI=1",
    })
final class Create implements Callable<Integer> {
  private final Session session;

  @Mixin private CreateFlags flags = new CreateFlags();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "KEY=VALUE",
      description = "A variable that every command in it gets; may be given often.")
  private Map<String, String> env = Map.of();

  @Option(names = "--json", description = "Print the whole sandbox as JSON.")
  private boolean json;

  Create(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    try (Cove cove = LocalStart.connectOrStart(session)) {
      Sandbox sandbox = cove.sandboxes().create(flags.options(env)).detach();
      session.println(json ? sandbox.info().toJson() : sandbox.id());
      return ExitCode.OK;
    }
  }
}
