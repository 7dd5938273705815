package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Webhooks;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Makes, lists, tries and removes the addresses that are told of events. */
final class Webhook {
  private static final String ID = "As 'cove webhook ls' shows it.";

  private Webhook() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Tell other servers what happens here.")
        .verb("add", Add.describe(session))
        .verb(
            "ls",
            Listing.describe(
                session,
                "List webhooks, and how they fare.",
                cove -> cove.webhooks().list(),
                Webhooks.Webhook::toJson,
                Webhook::table))
        .verb("set", Change.describe(session))
        .verb("rm", Rm.describe(session))
        .verb("test", Test.describe(session))
        .verb("dead", Dead.describe(session))
        .verb("retry", Retry.describe(session))
        .examples(
            "cove webhook add https://ci.example.com/cove --type 'sandbox.*'",
            "cove webhook retry wh0123456789abcdef")
        .note(
            "Each message is signed: Cove-Signature is t=SECONDS,v1=HMAC-SHA256 of SECONDS.BODY"
                + " with the secret.")
        .build();
  }

  private static final class Add implements Callable<Integer> {
    private final Session session;

    private String url = "";

    private List<String> types = List.of();

    private boolean json;

    private Add(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var add = new Add(session);
      return Description.of(add, "Make a webhook and print its secret: it is shown only this once.")
          .texts(
              "--type",
              "TYPE",
              "Only of that type, such as sandbox.failed or sandbox.*; may be given often.",
              types -> add.types = types)
          .flag("--json", "Print the webhook with its secret as JSON.", () -> add.json = true)
          .parameter("URL", "Where events are posted to.", url -> add.url = url)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Webhooks.NewWebhook made = cove.webhooks().create(url, types);
        session.println(json ? made.toJson() : made.webhook().id() + " " + made.secret());
      }
      return ExitCode.OK;
    }
  }

  private static Table table(List<Webhooks.Webhook> webhooks) {
    var table = new Table("ID", "URL", "TYPES", "DELIVERED", "STATE");
    for (Webhooks.Webhook webhook : webhooks) {
      table.row(
          webhook.id(),
          webhook.url(),
          webhook.types().isEmpty() ? "all" : String.join(",", webhook.types()),
          Long.toString(webhook.delivered()),
          state(webhook));
    }
    return table;
  }

  private static String state(Webhooks.Webhook webhook) {
    if (!webhook.enabled()) {
      return "disabled";
    }
    return webhook.error().map(why -> "failing: " + why).orElse("well");
  }

  private static final class Change implements Callable<Integer> {
    private final Session session;

    private String id = "";

    private Optional<String> url = Optional.empty();

    private List<String> types = List.of();

    private Optional<Boolean> enabled = Optional.empty();

    private boolean newSecret;

    private Change(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var change = new Change(session);
      return Description.of(change, "Change a webhook.")
          .text("--url", "URL", "Post to there.", url -> change.url = Optional.of(url))
          .texts(
              "--type",
              "TYPE",
              "Tell it of events of these types only; may be given often.",
              types -> change.types = types)
          .flag("--enable", "Go on telling it.", () -> change.enabled = Optional.of(true))
          .flag(
              "--disable",
              "Tell it nothing until it is enabled again.",
              () -> change.enabled = Optional.of(false))
          .flag(
              "--new-secret",
              "Sign with a new secret, and print it this once.",
              () -> change.newSecret = true)
          .parameter("ID", ID, id -> change.id = id)
          .build();
    }

    @Override
    public Integer call() {
      if (url.isEmpty() && types.isEmpty() && enabled.isEmpty() && !newSecret) {
        throw new UserError("Say what is to change; see 'cove webhook set --help'.");
      }
      try (Cove cove = session.connect()) {
        url.ifPresent(target -> {
          var _ = cove.webhooks().redirect(id, target);
        });
        if (!types.isEmpty()) {
          var _ = cove.webhooks().retype(id, types);
        }
        enabled.ifPresent(on -> {
          var _ = cove.webhooks().enable(id, on);
        });
        if (newSecret) {
          session.println(cove.webhooks().newSecret(id).secret());
        }
      }
      return ExitCode.OK;
    }
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;

    private List<String> ids = List.of();

    private Rm(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var rm = new Rm(session);
      return Description.of(rm, "Remove webhooks, and what they have not heard of.")
          .parameters("1..*", "ID", ID, ids -> rm.ids = ids)
          .build();
    }

    @Override
    public Integer call() {
      return new OneByOne(session).of(ids, (cove, id) -> cove.webhooks().remove(id));
    }
  }

  private static final class Test implements Callable<Integer> {
    private final Session session;

    private String id = "";

    private Test(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var test = new Test(session);
      return Description.of(test, "Post an event of type webhook.test, and say what came of it.")
          .parameter("ID", ID, id -> test.id = id)
          .note("The exit code is 1 when it was not taken.")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Webhooks.Attempt attempt = cove.webhooks().test(id);
        session.println(attempt.outcome());
        return attempt.taken() ? ExitCode.OK : ExitCode.FAILED;
      }
    }
  }

  private static final class Dead implements Callable<Integer> {
    private final Session session;

    private String id = "";

    private Dead(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var dead = new Dead(session);
      return Description.of(dead, "List events that a webhook did not take for a day.")
          .parameter("ID", ID, id -> dead.id = id)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        var table = new Table("EVENT", "TIME", "TYPE", "TRIED", "ERROR");
        for (Webhooks.DeadLetter letter : cove.webhooks().deadLetters(id)) {
          table.row(
              Long.toString(letter.event().id()),
              letter.event().time().toString(),
              letter.event().type(),
              letter.failedAt().toString(),
              letter.error());
        }
        table.print(session.printer(), session.colours());
      }
      return ExitCode.OK;
    }
  }

  private static final class Retry implements Callable<Integer> {
    private final Session session;

    private String id = "";

    private OptionalLong event = OptionalLong.empty();

    private Retry(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var retry = new Retry(session);
      return Description.of(
              retry, "Post dead letters again, the oldest first, until one is not taken.")
          .value(
              "--event",
              "ID",
              "Only that one.",
              EventsVerb::id,
              Long.class,
              id -> retry.event = OptionalLong.of(id))
          .parameter("ID", ID, id -> retry.id = id)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Webhooks.Retried retried = cove.webhooks().retry(id, event);
        session.println(
            "%d delivered, %d remain".formatted(retried.delivered(), retried.remaining()));
        retried.error().ifPresent(why -> session.note("cove: " + why));
        return retried.error().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
      }
    }
  }
}
