package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "rm",
    description = "Remove sandboxes and all that is in them.",
    footer = {"", "Example: cove rm box other-box"})
final class Rm implements Callable<Integer> {
  private final Session session;

  @Option(
      names = {"-f", "--force"},
      description = "Say nothing of sandboxes that are not there.")
  private boolean force;

  @Parameters(arity = "1..*", paramLabel = "BOX", description = "Ids or names.")
  private List<String> boxes = List.of();

  Rm(Session session) {
    this.session = session;
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
