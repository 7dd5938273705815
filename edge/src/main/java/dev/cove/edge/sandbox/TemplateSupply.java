package dev.cove.edge.sandbox;

import dev.cove.control.build.BuildLog;
import dev.cove.control.build.Builds;
import dev.cove.control.build.Cancellation;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.Exchange;
import dev.cove.node.image.ImageReference;
import java.util.Optional;

/** Makes templates on first use, those that can be made of themselves. */
public final class TemplateSupply {
  private final Builds builds;

  public TemplateSupply(Builds builds) {
    this.builds = builds;
  }

  /** Has a recipe made while others go on. */
  public void prepare(String recipe) {
    builds.prepare(recipe);
  }

  /**
   * The template that a sandbox is to begin with; made while the caller waits, if need be.
   *
   * @param image to be used instead, by its name in a registry
   */
  public String provided(Exchange exchange, String template, Optional<String> image) {
    if (image.isEmpty() && !Builds.isMadeOnFirstUse(template)) {
      return template;
    }
    var cancellation = new Cancellation();
    try (ClientPresence _ =
        exchange.watchClient(() -> cancellation.cancel("the caller went away"))) {
      if (image.isPresent()) {
        return builds.provideImage(
            ImageReference.parse(image.get()), Optional.empty(), BuildLog.SILENT, cancellation);
      }
      builds.provide(template, BuildLog.SILENT, cancellation);
      return template;
    }
  }
}
