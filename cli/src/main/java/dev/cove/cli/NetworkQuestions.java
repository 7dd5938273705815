package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkAnswer;
import dev.cove.sdk.NetworkQuestion;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Shows what a sandbox waits to be allowed; the verbs below answer. */
final class NetworkQuestions implements Callable<Integer> {
  private final Session session;
  private final Table table = new Table("ID", "DESTINATION", "WAITING", "SINCE");

  private boolean follow;

  private String box = "";

  private boolean json;

  private NetworkQuestions(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var questions = new NetworkQuestions(session);
    return Description.of(questions, "List what a sandbox waits to be allowed.")
        .flag("-f --follow", "Go on with what is new, until Ctrl-C.", () -> questions.follow = true)
        .flag(
            "--json",
            "Print a JSON array; with --follow, an object on each line.",
            () -> questions.json = true)
        .parameter("BOX", "The sandbox's id or name.", box -> questions.box = box)
        .examples("cove network questions box", "cove network answer box ID session")
        .note("There are none unless it was said: cove network set BOX --network ask --attended")
        .build();
  }

  @Override
  public Integer call() throws InterruptedException {
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      if (follow) {
        follow(sandbox);
      } else if (json) {
        session.println(JsonLines.array(sandbox.networkQuestions(), NetworkQuestion::toJson));
      } else {
        print(sandbox.networkQuestions(), session.printer());
      }
    }
    return ExitCode.OK;
  }

  private void follow(Sandbox sandbox) throws InterruptedException {
    PrintStream out = session.printer();
    List<NetworkQuestion> first = sandbox.networkQuestions();
    print(first, out);
    new Following<>(sandbox::networkQuestions, NetworkQuestion::id, fresh -> print(fresh, out))
        .from(first, out);
  }

  private void print(List<NetworkQuestion> questions, PrintStream out) {
    if (json) {
      questions.forEach(question -> out.print(question.toJson() + "\n"));
      return;
    }
    Instant now = Instant.now();
    for (NetworkQuestion question : questions) {
      table.row(
          question.id(),
          question.destination(),
          Integer.toString(question.waiting()),
          Human.age(question.since(), now));
    }
    table.print(out, session.colours());
  }

  /** Answers one question. */
  static final class Answer implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private String question = "";

    private NetworkAnswer answer = NetworkAnswer.NO;

    private Answer(Session session) {
      this.session = session;
    }

    static CommandSpec describe(Session session) {
      var verb = new Answer(session);
      return Description.of(verb, "Say whether a sandbox may reach what it asked for.")
          .parameter("BOX", "The sandbox's id or name.", box -> verb.box = box)
          .parameter("ID", "As 'cove network questions' shows it.", id -> verb.question = id)
          .parameter(
              "ANSWER",
              "once: those that wait now; session: until the sandbox ends; always: as a rule that"
                  + " is kept; or no.",
              Answer::parse,
              NetworkAnswer.class,
              answer -> verb.answer = answer)
          .examples("cove network answer box q7 session")
          .build();
    }

    private static NetworkAnswer parse(String text) {
      return Arrays.stream(NetworkAnswer.values())
          .filter(answer -> answer.word().equals(text))
          .findFirst()
          .orElseThrow(() ->
              new TypeConversionException(
                  "'" + text + "' is none of once, session, always and no"));
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        cove.sandboxes().require(box).answer(question, answer);
      }
      return ExitCode.OK;
    }
  }

  /** Asks the person at the terminal, one question after the other. */
  static final class Ask implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private Ask(Session session) {
      this.session = session;
    }

    static CommandSpec describe(Session session) {
      var ask = new Ask(session);
      return Description.of(ask, "Ask you, here, what a sandbox may reach, until Ctrl-C.")
          .parameter("BOX", "The sandbox's id or name.", box -> ask.box = box)
          .examples("cove network set box --network ask --attended; cove network ask box")
          .build();
    }

    @Override
    public Integer call() throws InterruptedException {
      if (!session.terminal().isInput()) {
        throw new UserError(
            "'cove network ask' needs a terminal; without one there are 'cove network questions'"
                + " and 'cove network answer'");
      }
      try (Cove cove = session.connect()) {
        Sandbox sandbox = cove.sandboxes().require(box);
        requireQuestions(sandbox.network());
        session.note("Waiting for what " + Table.printable(box) + " asks; Ctrl-C ends it.");
        while (true) {
          // The list anew each time: others may have answered, and programs given up.
          Optional<NetworkQuestion> next = sandbox.networkQuestions().stream().findFirst();
          if (next.isEmpty()) {
            Thread.sleep(Following.INTERVAL);
          } else if (!settle(sandbox, next.get())) {
            return ExitCode.OK;
          }
        }
      }
    }

    private void requireQuestions(Network network) {
      if (!network.fallback().equals(Network.asking().fallback()) || !network.attended()) {
        throw new UserError(
            "Nothing is asked about this sandbox; for that, say: cove network set %s --network ask"
                    .formatted(ShellWord.of(box))
                + " --attended");
      }
    }

    /**
     * @return whether there may be more to read
     */
    private boolean settle(Sandbox sandbox, NetworkQuestion question) {
      while (true) {
        session.prompt(
            Table.printable(
                "%s (%d waiting): [o]nce, this [s]ession, [a]lways, [n]o? "
                    .formatted(question.destination(), question.waiting())));
        Optional<String> typed = typed();
        if (typed.isEmpty()) {
          session.note("");
          return false;
        }
        Optional<NetworkAnswer> answer = answer(typed.get());
        if (answer.isPresent()) {
          give(sandbox, question, answer.get());
          return true;
        }
      }
    }

    /** Without what was typed before the question could be read: it was meant for another. */
    private Optional<String> typed() {
      try {
        session.in().skipNBytes(session.in().available());
      } catch (IOException e) {
        throw UserError.of("The terminal cannot be read", e);
      }
      return TypedLine.read(session).map(TypedLine::text);
    }

    private static Optional<NetworkAnswer> answer(String typed) {
      String word = typed.strip().toLowerCase(Locale.ROOT);
      return Arrays.stream(NetworkAnswer.values())
          .filter(answer -> !word.isEmpty())
          .filter(
              answer -> word.equals(answer.word()) || word.equals(answer.word().substring(0, 1)))
          .findFirst();
    }

    private void give(Sandbox sandbox, NetworkQuestion question, NetworkAnswer answer) {
      try {
        sandbox.answer(question.id(), answer);
      } catch (CoveApiException e) {
        if (e.status() != 404) {
          throw e;
        }
        session.note("Nobody waits for that any more.");
      }
    }
  }
}
