package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Export implements Callable<Integer> {
  private final Session session;

  private String what = "";

  private Optional<String> file = Optional.empty();

  private Export(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var export = new Export(session);
    return Description.of(
            export,
            "Write a sandbox, a checkpoint or a template to a file that another machine can import.")
        .text("--output", "FILE", "The file, instead of stdout.", v -> export.file = Optional.of(v))
        .parameter(
            "WHAT",
            "A sandbox's id or name, a checkpoint's id, or a template; looked for in this order.",
            what -> export.what = what)
        .examples("cove export box > box.cove", "cove export --output debian.cove debian:bookworm")
        .note("A sandbox is written as it is now, and becomes a checkpoint where it is imported.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      new FileOutput(session).write(file, out -> write(cove, out));
    }
    return ExitCode.OK;
  }

  private void write(Cove cove, OutputStream out) {
    if (cove.sandboxes().find(what).isPresent()) {
      cove.moves().exportSandbox(what, out);
    } else if (cove.checkpoints().find(what).isPresent()) {
      cove.moves().exportCheckpoint(what, out);
    } else {
      cove.moves().exportTemplate(what, out);
    }
  }
}
