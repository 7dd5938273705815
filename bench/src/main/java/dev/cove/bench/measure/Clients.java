package dev.cove.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;

/** Several callers of the API at once. */
final class Clients {
  private Clients() {}

  static <T> void each(int clients, List<T> items, Consumer<T> work) throws InterruptedException {
    map(
        clients,
        items,
        item -> {
          work.accept(item);
          return item;
        });
  }

  /**
   * Does the work for all items, so many at a time; the first failure is thrown after all have
   * ended.
   */
  static <T, R> List<R> map(int clients, List<T> items, Function<T, R> work)
      throws InterruptedException {
    var permits = new Semaphore(clients);
    var futures = new ArrayList<Future<R>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (T item : items) {
        permits.acquire();
        futures.add(
            threads.submit(() -> {
              try {
                return work.apply(item);
              } finally {
                permits.release();
              }
            }));
      }
    }
    var results = new ArrayList<R>();
    for (Future<R> future : futures) {
      results.add(result(future));
    }
    return results;
  }

  private static <R> R result(Future<R> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException failure) {
      switch (failure.getCause()) {
        case RuntimeException ours -> throw ours;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException(failure);
      }
    }
  }
}
