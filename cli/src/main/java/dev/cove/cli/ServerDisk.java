package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.DiskUse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Shows what is on the server's disk and removes what nobody needs. */
final class ServerDisk {
  private ServerDisk() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup(
            "Show how the server is and what takes its disk, and free what nobody needs.")
        .verb("status", ServerStatus.describe(session))
        .verb("df", Df.describe(session))
        .verb("prune", Prune.describe(session))
        .examples("cove system status", "cove system df", "cove system prune")
        .build();
  }

  private static final class Df implements Callable<Integer> {
    private final Session session;

    private boolean json;

    private Df(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var df = new Df(session);
      return Description.of(df, "Show who takes how much of the server's disk.")
          .flag("--json", "Print it as JSON.", () -> df.json = true)
          .note(
              "SIZE is all that something needs, OWN what would be free again if it alone went."
                  + " Volumes share nothing.")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        DiskUse use = cove.disk();
        if (json) {
          session.println(use.toJson());
        } else {
          print(use);
        }
      }
      return ExitCode.OK;
    }

    private void print(DiskUse use) {
      var table = new Table("KIND", "ID", "SIZE", "OWN");
      for (DiskUse.Item item : use.items()) {
        table.row(item.kind(), item.id(), Human.bytes(item.bytes()), Human.bytes(item.ownBytes()));
      }
      table.print(session.printer(), session.colours());
      session.println(
          "%d layers, %s; %d of them needed by nobody, %s"
              .formatted(
                  use.layers().count(),
                  Human.bytes(use.layers().bytes()),
                  use.unused().count(),
                  Human.bytes(use.unused().bytes())));
      session.println(
          "%s of %s free".formatted(Human.bytes(use.freeBytes()), Human.bytes(use.totalBytes())));
    }
  }

  private static final class Prune implements Callable<Integer> {
    private final Session session;

    private boolean json;

    private Prune(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var prune = new Prune(session);
      return Description.of(
              prune, "Remove what no sandbox and no checkpoint needs, and print what that freed.")
          .flag("--json", "Print the number of bytes as JSON.", () -> prune.json = true)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        long freed = cove.prune();
        session.println(json ? "{\"freedBytes\":%d}".formatted(freed) : Human.bytes(freed));
      }
      return ExitCode.OK;
    }
  }
}
