package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.ReadableFiles;
import dev.cove.sdk.SandboxFiles;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Copies between this machine and a sandbox. */
final class Cp implements Callable<Integer> {
  private final Session session;
  private Optional<String> user = Optional.empty();
  private String from = "";
  private String to = "";

  private Cp(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var cp = new Cp(session);
    return Description.of(
            cp, "Copy a file or a folder into a sandbox, or out of it or a checkpoint.")
        .text(
            "-u --user",
            "USER",
            "Whose rights count inside; default 'user'.",
            user -> cp.user = Optional.of(user))
        .parameter(
            "FROM",
            "A file, a folder, BOX:/path, CHECKPOINT:/path, or - for our input.",
            v -> cp.from = v)
        .parameter("TO", "A file, a folder, BOX:/path, or - for our output.", v -> cp.to = v)
        .note(
            "As with cp -r: what exists as a folder is copied into, anything else is the new name.")
        .examples(
            "cove cp script.py box:/home/user/",
            "cove cp box:/home/user/results results",
            "cove cp c0123456789abcdefghi:/home/user/results before",
            "generate | cove cp - box:/tmp/data")
        .build();
  }

  @Override
  public Integer call() throws IOException {
    Optional<BoxPath> source = BoxPath.find(from);
    Optional<BoxPath> target = BoxPath.find(to);
    if (source.isPresent() == target.isPresent()) {
      throw new UserError("One of the two must be in a sandbox: cove cp FILE BOX:/path, or back");
    }
    try (Cove cove = session.connect()) {
      if (target.isPresent()) {
        new CopyIn(files(cove, target.get()), session.in()).copy(from, target.get());
      } else if (source.isPresent()) {
        new CopyOut(source(cove, source.get()), session).copy(source.get(), to);
      }
    }
    return ExitCode.OK;
  }

  /** What has the shape of a checkpoint's id and is no sandbox is taken for a checkpoint. */
  private ReadableFiles source(Cove cove, BoxPath place) {
    if (place.box().matches("c[a-z0-9]{19}") && cove.sandboxes().find(place.box()).isEmpty()) {
      ReadableFiles files = cove.checkpoints().files(place.box());
      return user.isPresent() ? files.as(user.get()) : files;
    }
    return files(cove, place);
  }

  private SandboxFiles files(Cove cove, BoxPath place) {
    SandboxFiles files = cove.sandboxes().require(place.box()).files();
    return user.isPresent() ? files.as(user.get()) : files;
  }
}
