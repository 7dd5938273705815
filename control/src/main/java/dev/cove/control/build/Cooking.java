package dev.cove.control.build;

import dev.cove.control.project.Scope;
import dev.cove.control.template.Catalogue;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes recipes when somebody asks for them, each once for all who ask. It takes minutes, longer
 * than most clients wait, so it goes on when they leave; whoever comes again finds it further.
 */
final class Cooking {
  private static final Logger log = LoggerFactory.getLogger(Cooking.class);

  /** A little less than E2B's clients wait. */
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  private final Builds builds;
  private final Catalogue catalogue;
  private final Map<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

  /** What nobody waits for is tried once; whoever wants it all the same says so. */
  private final Set<String> prepared = ConcurrentHashMap.newKeySet();

  Cooking(Builds builds, Catalogue catalogue) {
    this.builds = builds;
    this.catalogue = catalogue;
  }

  /** Begins to make it, unless it is there or was begun before. */
  void prepare(String name) {
    if (catalogue.find(name).isEmpty() && prepared.add(name)) {
      var _ = underWay.computeIfAbsent(name, this::begin);
    }
  }

  /**
   * Waits for as long as somebody at the other end does.
   *
   * @throws CoveException UNAVAILABLE when it is not ready by then, or what kept it from being made
   */
  void provide(String name) {
    if (!isThereWithin(name, PATIENCE)) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE,
          "The template %s is being made from packages, which takes some minutes the first time; try again. 'cove template build --recipe %s' shows how it goes."
              .formatted(name, name));
    }
  }

  /**
   * Waits until it is made.
   *
   * @throws CoveException what kept it from being made
   */
  void await(String name) {
    if (!isThereWithin(name, Builds.MAX_DURATION)) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE, "The template %s was not made in time.".formatted(name));
    }
  }

  private boolean isThereWithin(String name, Duration patience) {
    if (catalogue.find(name).isPresent()) {
      return true;
    }
    try {
      return underWay
          .computeIfAbsent(name, this::begin)
          .get(patience.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      return false;
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
      log.warn("the template {} could not be made: {}", name, e.getMessage());
      underWay.remove(name);
      outcome.completeExceptionally(e);
    }
  }
}
