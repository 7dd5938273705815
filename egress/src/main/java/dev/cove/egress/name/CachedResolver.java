package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Remembers answers for as long as they say, within limits, and asks for each name once at a time.
 */
public final class CachedResolver implements Resolver {
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration NOTHING_FOUND = Duration.ofSeconds(5);
  private static final int CAPACITY = 8_192;
  private static final int AT_ONCE = 256;
  private static final Duration PATIENCE = Duration.ofMillis(4_800);

  private record Known(Resolution resolution, long until) {
    boolean isFresh() {
      return until - System.nanoTime() > 0;
    }
  }

  private final Resolver resolver;
  private final Map<DomainName, Known> entries =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<DomainName, Known> eldest) {
          return size() > CAPACITY;
        }
      };
  private final Map<DomainName, CompletableFuture<Resolution>> underWay = new HashMap<>();
  private final Semaphore places = new Semaphore(AT_ONCE);

  public CachedResolver(Resolver resolver) {
    this.resolver = resolver;
  }

  @Override
  public Resolution resolve(DomainName name) throws InterruptedException {
    CompletableFuture<Resolution> result;
    boolean mine = false;
    synchronized (this) {
      Known known = entries.get(name);
      if (known != null && known.isFresh()) {
        return known.resolution();
      }
      CompletableFuture<Resolution> running = underWay.get(name);
      mine = running == null;
      result = running == null ? new CompletableFuture<>() : running;
      if (mine) {
        if (!places.tryAcquire()) {
          return new Resolution.Failed();
        }
        underWay.put(name, result);
      }
    }
    return mine ? lookUp(name, result) : await(result);
  }

  private Resolution lookUp(DomainName name, CompletableFuture<Resolution> result)
      throws InterruptedException {
    Resolution found = new Resolution.Failed();
    try {
      found = resolver.resolve(name);
      return found;
    } finally {
      places.release();
      finish(name, found);
      result.complete(found);
    }
  }

  private synchronized void finish(DomainName name, Resolution found) {
    underWay.remove(name);
    entries.remove(name);
    Duration time =
        switch (found) {
          case Resolution.Found some -> clamp(some.timeToLive());
          case Resolution.Missing _, Resolution.Empty _ -> NOTHING_FOUND;
          case Resolution.Failed _ -> Duration.ZERO;
        };
    if (!time.isZero()) {
      entries.put(name, new Known(found, System.nanoTime() + time.toNanos()));
    }
  }

  private static Duration clamp(Duration time) {
    return time.compareTo(SHORTEST) < 0 ? SHORTEST : time.compareTo(LONGEST) > 0 ? LONGEST : time;
  }

  private static Resolution await(CompletableFuture<Resolution> result)
      throws InterruptedException {
    try {
      return result.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return new Resolution.Failed();
    }
  }

  @Override
  public void close() {
    resolver.close();
  }
}
