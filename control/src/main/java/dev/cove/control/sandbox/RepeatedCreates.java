package dev.cove.control.sandbox;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Lets one of several equal creates that run at the same time do the work; the others wait. */
final class RepeatedCreates {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private record Work(IdempotentRequest request, CompletableFuture<Created> result) {}

  /** Keys of one project are nothing to another. */
  private record OwnKey(ProjectName project, String key) {
    static OwnKey of(IdempotentRequest request) {
      return new OwnKey(request.project(), request.key());
    }
  }

  private final ConcurrentMap<OwnKey, Work> underWay = new ConcurrentHashMap<>();

  Created once(IdempotentRequest request, Supplier<Created> create) {
    var mine = new Work(request, new CompletableFuture<>());
    Work others = underWay.putIfAbsent(OwnKey.of(request), mine);
    if (others != null) {
      request.requireSameAs(others.request().hash());
      return new Created(await(others.result()).sandbox(), true);
    }
    try {
      Created created = create.get();
      mine.result().complete(created);
      return created;
    } catch (CoveException e) {
      mine.result().completeExceptionally(e);
      throw e;
    } finally {
      underWay.remove(OwnKey.of(request), mine);
      // Only reached undone when we are wrong; those who wait are told so rather than kept.
      mine.result().completeExceptionally(new IllegalStateException("A create broke off"));
    }
  }

  private static Created await(CompletableFuture<Created> result) {
    try {
      return result.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CoveException fault) {
        throw new CoveException(fault.code(), String.valueOf(fault.getMessage()), fault);
      }
      throw new IllegalStateException("An equal create failed", e.getCause());
    } catch (TimeoutException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE, "An equal create is still under way; repeat the request.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }
}
