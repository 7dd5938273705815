package dev.cove.control.build;

import dev.cove.control.project.Scope;
import dev.cove.control.template.Catalogue;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes recipes when somebody asks for them, each once for all who ask. It takes minutes, longer
 * than most clients wait, so it goes on when they leave; whoever comes again finds it further.
 */
final class Cooking {
  /** A little less than E2B's clients wait. */
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  private final Builds builds;
  private final Catalogue catalogue;
  private final Map<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

  Cooking(Builds builds, Catalogue catalogue) {
    this.builds = builds;
    this.catalogue = catalogue;
  }

  /**
   * @throws CoveException UNAVAILABLE when it is not ready by then, or what kept it from being made
   */
  void provide(String name) {
    if (catalogue.find(name).isPresent()) {
      return;
    }
    try {
      underWay.computeIfAbsent(name, this::begin).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE,
          "The template %s is being made from packages, which takes some minutes the first time; try again. 'cove template build --recipe %s' shows how it goes."
              .formatted(name, name),
          e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof CoveException refusal
          ? new CoveException(
              refusal.code(),
              "The template %s could not be made: %s".formatted(name, refusal.getMessage()),
              refusal)
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }

  private CompletableFuture<Boolean> begin(String name) {
    var outcome = new CompletableFuture<Boolean>();
    Thread.ofVirtual().name("recipe-" + name).start(() -> cook(name, outcome));
    return outcome;
  }

  /** Nothing of the caller's goes into it, so it is made once and for all projects. */
  private void cook(String name, CompletableFuture<Boolean> outcome) {
    try {
      Scope.ofOperator(ProjectName.DEFAULT)
          .call(() -> {
            if (catalogue.find(name).isEmpty()) {
              builds.build(Recipes.of(name, List.of()), BuildLog.SILENT, new Cancellation());
            }
            return true;
          });
      underWay.remove(name);
      outcome.complete(true);
    } catch (RuntimeException e) {
      underWay.remove(name);
      outcome.completeExceptionally(e);
    }
  }
}
