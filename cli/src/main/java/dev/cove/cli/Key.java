package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Keys;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Makes, lists and revokes the keys that open the server. */
final class Key {
  private Key() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Make, list and revoke the keys that open the server.")
        .verb("create", Create.describe(session))
        .verb(
            "ls",
            Listing.describe(
                session,
                "List keys; the keys themselves are not known to anyone.",
                cove -> cove.keys().list(),
                Keys.KeyInfo::toJson,
                Key::table))
        .verb("rm", Rm.describe(session))
        .examples("cove key create ci-runner", "cove key create --in shop shop-backend")
        .build();
  }

  private static final class Create implements Callable<Integer> {
    private final Session session;

    private String name = "";

    private final ProjectFlag where = new ProjectFlag();

    private boolean json;

    private Create(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var create = new Create(session);
      return Description.of(create, "Make a key and print it: it is shown only this once.")
          .with(create.where::describe)
          .flag("--json", "Print the key with its id as JSON.", () -> create.json = true)
          .parameter("NAME", "Who or what will use it.", name -> create.name = name)
          .note(
              "A key of a project knows of nothing else; an operator's, which is what operators"
                  + " make without --in, acts anywhere.")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = where.of(session).connect()) {
        Keys.NewKey key = cove.keys().create(name);
        session.println(json ? key.toJson() : key.key());
      }
      return ExitCode.OK;
    }
  }

  private static Table table(List<Keys.KeyInfo> keys) {
    var table = new Table("ID", "NAME", "PROJECT", "ENDS IN", "AGE", "LAST USED", "STATE");
    Instant now = Instant.now();
    for (Keys.KeyInfo key : keys) {
      table.row(
          key.id(),
          key.name(),
          key.project().orElse("(operator)"),
          key.last4(),
          Human.age(key.createdAt(), now),
          key.lastUsedAt().map(when -> Human.age(when, now) + " ago").orElse("never"),
          key.revokedAt().isPresent() ? "revoked" : "valid");
    }
    return table;
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;

    private List<String> ids = List.of();

    private Rm(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var rm = new Rm(session);
      return Description.of(rm, "Revoke keys; they stop working at once.")
          .parameters("1..*", "ID", "As 'cove key ls' shows them.", ids -> rm.ids = ids)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        ids.forEach(cove.keys()::revoke);
      }
      return ExitCode.OK;
    }
  }
}
