package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.SandboxFiles;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Lists what a checkpoint has, without starting it. */
final class CheckpointFiles implements Callable<Integer> {
  private static final int MOST = 100_000;

  private final Session session;
  private final Checkpoint above;
  private String checkpoint = "";
  private String path = "/";
  private String user = "root";
  private boolean json;

  private CheckpointFiles(Session session, Checkpoint above) {
    this.session = session;
    this.above = above;
  }

  static CommandSpec describe(Session session, Checkpoint above) {
    var files = new CheckpointFiles(session, above);
    return Description.of(files, "List a folder of a checkpoint, of which nothing is started.")
        .text("-u --user", "USER", "Whose rights count; default 'root'.", v -> files.user = v)
        .flag("--json", "Print a JSON array.", () -> files.json = true)
        .parameter("ID", "As 'cove checkpoint ls' shows it.", id -> files.checkpoint = id)
        .optionalParameter("PATH", "The folder; default /.", v -> files.path = v)
        .examples("cove checkpoint files c0123456789abcdefghi /home/user")
        .build();
  }

  @Override
  public Integer call() {
    above.requireNothingBeforeVerb();
    try (Cove cove = session.connect()) {
      SandboxFiles.Listing listing =
          cove.checkpoints().files(checkpoint).as(user).list(path, 1, MOST);
      List<FileInfo> items =
          listing.items().stream().sorted(Comparator.comparing(FileInfo::name)).toList();
      if (json) {
        session.println(JsonLines.array(items, FileInfo::toJson));
      } else {
        table(items).print(session.printer(), session.colours());
      }
      if (listing.truncated()) {
        session.note("cove: There are more than " + MOST + "; the rest is not shown.");
      }
    }
    return ExitCode.OK;
  }

  private static Table table(List<FileInfo> items) {
    var table = new Table("MODE", "UID", "GID", "SIZE", "AGE", "NAME");
    Instant now = Instant.now();
    for (FileInfo item : items) {
      table.row(
          item.mode(),
          Long.toString(item.uid()),
          Long.toString(item.gid()),
          Human.bytes(item.size()),
          Human.age(item.modifiedAt(), now),
          name(item));
    }
    return table;
  }

  private static String name(FileInfo item) {
    return switch (item.type()) {
      case FOLDER -> item.name() + "/";
      case SYMLINK -> item.name() + " -> " + item.linkTarget().orElse("");
      case FILE, OTHER -> item.name();
    };
  }
}
