package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Keys;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "key",
    description = "Make, list and revoke the keys that open the server.",
    synopsisSubcommandLabel = "VERB",
    subcommands = {Key.Create.class, Key.Ls.class, Key.Rm.class},
    footer = {"", "Example: cove key create ci-runner"})
final class Key {
  private Key() {}

  Key(Session session) {
    this();
  }

  @Command(name = "create", description = "Make a key and print it: it is shown only this once.")
  static final class Create implements Callable<Integer> {
    private final Session session;

    @Parameters(paramLabel = "NAME", description = "Who or what will use it.")
    private String name = "";

    @Option(names = "--json", description = "Print the key with its id as JSON.")
    private boolean json;

    Create(Session session) {
      this.session = session;
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

  @Command(name = "ls", description = "List keys; the keys themselves are not known to anyone.")
  static final class Ls implements Callable<Integer> {
    private final Session session;

    @Option(names = "--json", description = "Print a JSON array.")
    private boolean json;

    Ls(Session session) {
      this.session = session;
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

  @Command(name = "rm", description = "Revoke keys; they stop working at once.")
  static final class Rm implements Callable<Integer> {
    private final Session session;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "As 'cove key ls' shows them.")
    private List<String> ids = List.of();

    Rm(Session session) {
      this.session = session;
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
