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
        .verb("ls", Ls.describe(session))
        .verb("rm", Rm.describe(session))
        .examples("cove key create ci-runner")
        .build();
  }

  private static final class Create implements Callable<Integer> {
    private final Session session;

    private String name = "";

    private boolean json;

    private Create(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var create = new Create(session);
      return Description.of(create, "Make a key and print it: it is shown only this once.")
          .flag("--json", "Print the key with its id as JSON.", () -> create.json = true)
          .parameter("NAME", "Who or what will use it.", name -> create.name = name)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Keys.NewKey key = cove.keys().create(name);
        session.println(json ? key.toJson() : key.key());
      }
      return ExitCode.OK;
    }
  }

  private static final class Ls implements Callable<Integer> {
    private final Session session;

    private boolean json;

    private Ls(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var ls = new Ls(session);
      return Description.of(ls, "List keys; the keys themselves are not known to anyone.")
          .flag("--json", "Print a JSON array.", () -> ls.json = true)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        List<Keys.KeyInfo> keys = cove.keys().list();
        if (json) {
          session.println(JsonLines.array(keys, Keys.KeyInfo::toJson));
        } else {
          table(keys).print(session.printer(), session.colours());
        }
      }
      return ExitCode.OK;
    }

    private static Table table(List<Keys.KeyInfo> keys) {
      var table = new Table("ID", "NAME", "ENDS IN", "AGE", "LAST USED", "STATE");
      Instant now = Instant.now();
      for (Keys.KeyInfo key : keys) {
        table.row(
            key.id(),
            key.name(),
            key.last4(),
            Human.age(key.createdAt(), now),
            key.lastUsedAt().map(when -> Human.age(when, now) + " ago").orElse("never"),
            key.revokedAt().isPresent() ? "revoked" : "valid");
      }
      return table;
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
