package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Prints a file of a checkpoint, without starting it. */
final class CheckpointCat implements Callable<Integer> {
  private final Session session;
  private final Checkpoint above;
  private String checkpoint = "";
  private String path = "";
  private String user = "root";

  private CheckpointCat(Session session, Checkpoint above) {
    this.session = session;
    this.above = above;
  }

  static CommandSpec describe(Session session, Checkpoint above) {
    var cat = new CheckpointCat(session, above);
    return Description.of(cat, "Print a file of a checkpoint, of which nothing is started.")
        .text("-u --user", "USER", "Whose rights count; default 'root'.", v -> cat.user = v)
        .parameter("ID", "As 'cove checkpoint ls' shows it.", id -> cat.checkpoint = id)
        .parameter("PATH", "The file.", v -> cat.path = v)
        .examples("cove checkpoint cat c0123456789abcdefghi /etc/os-release")
        .build();
  }

  @Override
  public Integer call() throws IOException {
    above.requireNothingBeforeVerb();
    try (Cove cove = session.connect();
        InputStream content = cove.checkpoints().files(checkpoint).as(user).read(path)) {
      content.transferTo(session.out());
    }
    return ExitCode.OK;
  }
}
