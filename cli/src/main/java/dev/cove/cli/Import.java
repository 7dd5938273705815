package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Moves;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Import implements Callable<Integer> {
  private final Session session;

  private Optional<String> name = Optional.empty();

  private String file = "";

  private Import(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var wanted = new Import(session);
    return Description.of(
            wanted, "Make a checkpoint or a template of a file that 'cove export' wrote.")
        .text("--name", "NAME", "What to call it here.", v -> wanted.name = Optional.of(v))
        .parameter("FILE", "The file; '-' for stdin.", v -> wanted.file = v)
        .examples(
            "cove run --checkpoint $(cove import box.cove) -- ls", "cove import - < debian.cove")
        .note("Prints the checkpoint's id or the template. A file that was changed is refused.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect();
        InputStream in = FileInput.open(session, file)) {
      Moves.Imported made = cove.moves().take(in, name);
      session.println(made.checkpoint().or(made::template).orElse(""));
    } catch (IOException e) {
      throw UserError.of(file + " cannot be read", e);
    }
    return ExitCode.OK;
  }
}
