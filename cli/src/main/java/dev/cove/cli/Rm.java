package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Rm implements Callable<Integer> {
  private final Session session;

  private boolean force;

  private List<String> boxes = List.of();

  private Rm(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var rm = new Rm(session);
    return Description.of(rm, "Remove sandboxes and all that is in them.")
        .flag("-f --force", "Say nothing of sandboxes that are not there.", () -> rm.force = true)
        .parameters("1..*", "BOX", "Ids or names.", boxes -> rm.boxes = boxes)
        .examples("cove rm box other-box")
        .build();
  }

  @Override
  public Integer call() {
    int code = ExitCode.OK;
    try (Cove cove = session.connect()) {
      for (String box : boxes) {
        try {
          cove.sandboxes().delete(box);
        } catch (CoveApiException e) {
          if (!force || e.status() != 404) {
            session.note("cove: " + box + ": " + e.detail());
            code = ExitCode.FAILED;
          }
        }
      }
    }
    return code;
  }
}
