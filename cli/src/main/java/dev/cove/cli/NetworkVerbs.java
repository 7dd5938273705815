package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkExplanation;
import dev.cove.sdk.NetworkLimits;
import dev.cove.sdk.Sandbox;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Says what a sandbox may reach; {@link NetworkLog} and {@link NetworkQuestions} have the rest. */
final class NetworkVerbs {
  private NetworkVerbs() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Say what a sandbox may reach, and see what it wanted to reach.")
        .verb("show", Show.describe(session))
        .verb("set", Set.describe(session))
        .verb("allow", Rules.describeAllow(session))
        .verb("deny", Rules.describeDeny(session))
        .verb("join", NetworkGroups.Join.describe(session))
        .verb("leave", NetworkGroups.Leave.describe(session))
        .verb("group", NetworkGroups.describe(session))
        .verb("log", NetworkLog.describe(session))
        .verb("explain", Explain.describe(session))
        .verb("questions", NetworkQuestions.describe(session))
        .verb("answer", NetworkQuestions.Answer.describe(session))
        .verb("ask", NetworkQuestions.Ask.describe(session))
        .examples(
            "cove network allow box api.example.com:443",
            "cove network log -f box",
            "cove network explain box example.com:443")
        .note("A denial beats a permission. Changes hold at once, also for open connections.")
        .build();
  }

  private static void print(Session session, Network network, boolean json) {
    if (json) {
      session.println(network.toJson());
      return;
    }
    print(session, "default", List.of(network.fallback()));
    print(session, "attended", List.of(network.attended() ? "yes" : "no"));
    print(session, "preset", network.presets());
    print(session, "allow", network.allow());
    print(session, "deny", network.deny());
    NetworkLimits limits = network.limits();
    limits.connections().ifPresent(n -> printLimit(session, n + " connections"));
    limits
        .newConnectionsPerSecond()
        .ifPresent(n -> printLimit(session, n + " new connections per second"));
    limits
        .nameQueriesPerSecond()
        .ifPresent(n -> printLimit(session, n + " name queries per second"));
    limits.bytesPerHour().ifPresent(n -> printLimit(session, n + " bytes per hour"));
  }

  private static void printLimit(Session session, String text) {
    print(session, "limit", List.of(text));
  }

  private static void print(Session session, String word, List<String> values) {
    values.forEach(value -> session.println("%-10s%s".formatted(word, Table.printable(value))));
  }

  private static final class Show implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private boolean json;

    private Show(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var show = new Show(session);
      return Description.of(show, "Show what a sandbox may reach.")
          .flag("--json", "Print it as JSON.", () -> show.json = true)
          .parameter("BOX", "The sandbox's id or name.", box -> show.box = box)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        print(session, cove.sandboxes().require(box).network(), json);
      }
      return ExitCode.OK;
    }
  }

  private static final class Set implements Callable<Integer> {
    private final Session session;
    private final NetworkFlags flags = new NetworkFlags();

    private boolean clear;

    private boolean unattended;

    private String box = "";

    private boolean json;

    private Set(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var set = new Set(session);
      return Description.of(set, "Change what a sandbox may reach, and show it.")
          .with(set.flags::describe)
          .flag("--unattended", "Nobody answers questions any more.", () -> set.unattended = true)
          .flag(
              "--clear",
              "Forget all that was said before: what is not said now is denied.",
              () -> set.clear = true)
          .flag("--json", "Print it as JSON.", () -> set.json = true)
          .parameter("BOX", "The sandbox's id or name.", box -> set.box = box)
          .examples(
              "cove network set box --network ask --attended",
              "cove network set box --clear --preset packages --allow api.example.com:443")
          .note("Without --clear, what is said comes on top of what was said before.")
          .build();
    }

    @Override
    public Integer call() {
      boolean changes = flags.change(Network.denying()).isPresent();
      if (!clear && !unattended && !changes) {
        throw new Misuse("Say what is to change, such as --network ask");
      }
      try (Cove cove = session.connect()) {
        Sandbox sandbox = cove.sandboxes().require(box);
        Network before = clear ? Network.denying() : sandbox.network();
        Network wanted = flags.change(before).orElse(before);
        print(session, sandbox.setNetwork(unattended ? wanted.attended(false) : wanted), json);
      }
      return ExitCode.OK;
    }
  }

  /** Adds rules to one of the two lists. */
  private static final class Rules implements Callable<Integer> {
    private interface Addition {
      Network to(Sandbox sandbox, String... rules);
    }

    private final Session session;
    private final Addition addition;

    private String box = "";

    private List<String> rules = List.of();

    private boolean json;

    private Rules(Session session, Addition addition) {
      this.session = session;
      this.addition = addition;
    }

    private static CommandSpec describeAllow(Session session) {
      return new Rules(session, Sandbox::allow)
          .describe(
              "Let a sandbox reach more, and show what it may reach.",
              "cove network allow box '*.example.com' 192.0.2.0/24:8000-8999",
              "cove network allow box 'api.example.com:443 GET,HEAD /v1/*'");
    }

    private static CommandSpec describeDeny(Session session) {
      return new Rules(session, Sandbox::deny)
          .describe(
              "Let a sandbox reach less, cut what is open, and show what it may reach.",
              "cove network deny box telemetry.example.com",
              "cove network deny box 'api.example.com DELETE'");
    }

    private CommandSpec describe(String text, String... examples) {
      return Description.of(this, text)
          .flag("--json", "Print it as JSON.", () -> json = true)
          .parameter("BOX", "The sandbox's id or name.", name -> box = name)
          .parameters(
              "1..*",
              NetworkFlags.RULE,
              "HOST[:PORT|:LOW-HIGH] [METHODS] [PATH...]; with methods or paths, in quotes.",
              given -> rules = given)
          .examples(examples)
          .note("A rule that was said the other way round before is so no more.")
          .build();
    }

    @Override
    public Integer call() {
      List<String> checked = Words.read(rules, NetworkFlags::rule);
      try (Cove cove = session.connect()) {
        Sandbox sandbox = cove.sandboxes().require(box);
        print(session, addition.to(sandbox, checked.toArray(String[]::new)), json);
      }
      return ExitCode.OK;
    }
  }

  private static final class Explain implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private String destination = "";

    private boolean json;

    private Explain(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var explain = new Explain(session);
      return Description.of(
              explain, "Say whether a sandbox may reach a host, why, and how it could.")
          .flag("--json", "Print it as JSON.", () -> explain.json = true)
          .parameter("BOX", "The sandbox's id or name.", box -> explain.box = box)
          .parameter(
              "HOST:PORT",
              "Where to; an IPv6 address in brackets.",
              destination -> explain.destination = destination)
          .examples("cove network explain box example.com:443")
          .note("The exit code is 0 where a connection is let through, and 1 where it is not.")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        NetworkExplanation explanation = cove.sandboxes().require(box).explain(destination);
        if (json) {
          session.println(explanation.toJson());
        } else {
          tell(explanation);
        }
        return explanation.connects() ? ExitCode.OK : ExitCode.FAILED;
      }
    }

    private void tell(NetworkExplanation explanation) {
      String verdict =
          switch (explanation.outcome()) {
            case "ask" -> "is asked about";
            case "by_request" -> "depends on the request";
            default -> "is " + explanation.outcome();
          };
      session.println(
          Table.printable(explanation.destination() + " " + verdict + ": " + explanation.rule()));
      explanation
          .remedy()
          .ifPresent(rule ->
              session.println(
                  Table.printable(
                      "To allow it: cove network allow %s %s"
                          .formatted(ShellWord.of(box), ShellWord.of(rule)))));
    }
  }
}
