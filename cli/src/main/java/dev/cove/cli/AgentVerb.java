package dev.cove.cli;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Secrets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** Lets a coding agent work on the current folder, and offers what it changed for review. */
final class AgentVerb implements Callable<Integer> {
  private static final List<String> PRESETS = List.of("llm", "packages");

  private final Session session;
  private final Agent agent;
  private final CreateFlags createFlags = new CreateFlags();
  private final ProjectFlag where = new ProjectFlag();
  private boolean asks;
  private boolean update;
  private List<String> words = List.of();

  private AgentVerb(Session session, Agent agent) {
    this.session = session;
    this.agent = agent;
  }

  static CommandSpec describeClaude(Session session) {
    return describe(session, Agent.CLAUDE);
  }

  static CommandSpec describeCodex(Session session) {
    return describe(session, Agent.CODEX);
  }

  static CommandSpec describeOpencode(Session session) {
    return describe(session, Agent.OPENCODE);
  }

  private static CommandSpec describe(Session session, Agent agent) {
    var verb = new AgentVerb(session, agent);
    String variables =
        agent.keys().stream().map(Agent.ApiKey::variable).collect(Collectors.joining(" or "));
    return Description.of(
            verb,
            "Let %s work on this folder in a sandbox, and review what it changed."
                .formatted(agent.program()))
        .flag(
            "--ask",
            "Let it ask before each step; by default it need not, for nothing it does lands here.",
            () -> verb.asks = true)
        .flag("--update", "Install its newest version first.", () -> verb.update = true)
        .with(verb.createFlags::describe)
        .with(verb.where::describe)
        .parameters(
            "0..*", "ARGUMENT", "What the agent is called with.", words -> verb.words = words)
        .examples(
            "cove %s".formatted(agent.name()),
            "cove %s --memory 4G -- --version".formatted(agent.name()))
        .note(
            "On first use %s is installed from npm into the template %s. Its key %s is taken from"
                    .formatted(agent.npm(), agent.template(), variables)
                + " our secrets, or from your environment into them; inside there is only a"
                + " placeholder.")
        .note("A cove.toml in the folder can say more: see docs/projects.md.")
        .build();
  }

  @Override
  public Integer call() {
    List<String> arguments = new ArrayList<>();
    createFlags.projects().orHere();
    ProjectSettings settings = createFlags.projects().settings();
    settings.tell(session);
    boolean ownTemplate = createFlags.defaultTo(settings);
    arguments.addAll(settings.agentArguments());
    arguments.addAll(CommandFlags.withoutDelimiter(words));
    agent.keys().forEach(key -> key.url(session.environment())); // or it says what is wrong
    Session acting = where.of(session);
    try (Cove cove = LocalStart.connectOrStart(acting)) {
      if (ownTemplate) {
        createFlags.provide(cove, session);
      } else {
        createFlags.template(install(cove));
      }
      createFlags.network().also(PRESETS, bindKeys(cove.secrets()));
      return run(cove, arguments, settings);
    }
  }

  /** The template with the agent in it, made if it is not there. */
  private String install(Cove cove) {
    return new FirstUse(cove.templates(), session).ofAgent(agent, update).name();
  }

  /** Binds each key that we have or are given, and says what the agent must so be able to reach. */
  private List<String> bindKeys(Secrets secrets) {
    Map<String, String> environment = session.environment();
    Set<String> known =
        secrets.list().stream().map(Secrets.SecretInfo::name).collect(Collectors.toSet());
    var reach = new ArrayList<String>();
    for (Agent.ApiKey key : agent.keys()) {
      String value = environment.getOrDefault(key.variable(), "");
      if (!known.contains(key.variable()) && !value.isEmpty()) {
        secrets.set(key.variable(), value);
        session.note(
            "cove: Your %s is a secret of Cove's now; 'cove secret set' changes it."
                .formatted(key.variable()));
        known.add(key.variable());
      }
      if (known.contains(key.variable())) {
        createFlags.also(key.binding(environment));
        reach.add(key.destination(environment));
      }
    }
    if (reach.isEmpty()) {
      session.note(
          "cove: There is no secret %s; without one the agent has to log in by itself."
              .formatted(agent.keys().getFirst().variable()));
    }
    return reach.stream().map(host -> host.contains(":") ? host : host + ":443").toList();
  }

  private int run(Cove cove, List<String> arguments, ProjectSettings settings) {
    boolean tty = session.terminal().isInput() && session.terminal().isOutput();
    // First the agent reads what is typed, then we do.
    Session shared = tty ? session.reading(Keyboard.of(session.in())) : session;
    var attached = new AttachedCommand(shared, new AttachedCommand.Stop());
    Map<String, String> env = new HashMap<>(agent.env());
    for (Agent.ApiKey key : agent.keys()) {
      key.url(session.environment()).ifPresent(url -> env.put(key.address(), url.toString()));
    }
    env.putAll(settings.env());
    var work = new Work(attached, agent.command(arguments, asks, session.environment()), tty);
    Work.Ended ended = work.in(cove, createFlags.options(env), session);
    try (Sandbox sandbox = ended.sandbox()) {
      ReviewLater.offer(shared, cove, sandbox);
      return ended.exitCode();
    }
  }

  /** The agent's run, from the sandbox's creation on: a Ctrl-C while it is made removes it. */
  private record Work(AttachedCommand attached, List<String> argv, boolean tty) {
    record Ended(Sandbox sandbox, int exitCode) {}

    Ended in(Cove cove, CreateOptions options, Session session) {
      try (Signals _ = attached.listen()) {
        Sandbox sandbox = cove.sandboxes().create(options);
        try {
          return new Ended(sandbox, run(sandbox, session));
        } catch (RuntimeException e) {
          sandbox.close();
          throw e;
        }
      }
    }

    private int run(Sandbox sandbox, Session session) {
      ProjectFolders.tellHidden(session, sandbox.info());
      Command command = Command.of(argv);
      Optional<String> folder = ProjectFolders.workingFolder(sandbox.info());
      command = folder.map(command::cwd).orElse(command);
      if (tty) {
        command = AttachedCommand.withTerminalVariables(command, session);
      }
      return attached.run(sandbox, command, tty, CommandFlags.Interactive.auto);
    }
  }
}
