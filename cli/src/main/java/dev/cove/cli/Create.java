package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Create implements Callable<Integer> {
  private final Session session;

  private CreateFlags flags = new CreateFlags();

  private final ProjectFlag where = new ProjectFlag();

  private Map<String, String> env = Map.of();

  private boolean json;

  private Create(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var create = new Create(session);
    return Description.of(create, "Make a sandbox and print its id.")
        .with(create.flags::describe)
        .with(create.where::describe)
        .pairs(
            "-e --env",
            "A variable that every command in it gets; may be given often.",
            env -> create.env = env)
        .flag("--json", "Print the whole sandbox as JSON.", () -> create.json = true)
        .examples(
            "cove create --name builder --memory 2G --label team=web",
            "cove create --json --env CI=1",
            "cove create --image alpine:3.22",
            "cove create --project . --name dev; cove shell dev; cove diff",
            "cove create --preset packages --secret API_KEY@api.example.com",
            "cove create --checkpoint c0123456789abcdefghi")
        .build();
  }

  @Override
  public Integer call() {
    ProjectSettings settings = flags.projects().settings();
    settings.tell(session);
    flags.defaultTo(settings);
    Map<String, String> variables = new HashMap<>(settings.env());
    variables.putAll(env);
    try (Cove cove = LocalStart.connectOrStart(where.of(session))) {
      flags.provide(cove, session);
      Sandbox sandbox = cove.sandboxes().create(flags.options(variables)).detach();
      ProjectFolders.tellHidden(session, sandbox.info());
      session.println(json ? sandbox.info().toJson() : sandbox.id());
      return ExitCode.OK;
    }
  }
}
