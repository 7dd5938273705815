package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class PushToTar implements Callable<Integer> {
  private final Session session;

  private String template = "";

  private Optional<String> file = Optional.empty();

  private PushToTar(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var push = new PushToTar(session);
    return Description.of(
            push, "Write a template as an image that OCI tools and 'docker load' read.")
        .text("--output", "FILE", "The file, instead of stdout.", v -> push.file = Optional.of(v))
        .parameter("TEMPLATE", "As 'cove template ls' shows it.", v -> push.template = v)
        .examples("cove template push-to-tar web | docker load")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      new FileOutput(session).write(file, out -> cove.moves().writeImage(template, out));
    }
    return ExitCode.OK;
  }
}
