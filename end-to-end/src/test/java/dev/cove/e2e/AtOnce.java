package dev.cove.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does one thing many times at the same moment. */
final class AtOnce {
  /** One of the many; the number counts from 0. */
  interface Task<T> {
    T run(int number) throws Exception;
  }

  private AtOnce() {}

  /** The results in order. Fails if one of the tasks did, once all have ended. */
  static <T> List<T> times(int count, Task<T> task) throws Exception {
    var start = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        Callable<T> waiting =
            () -> {
              start.await();
              return task.run(number);
            };
        futures.add(threads.submit(waiting));
      }
      start.countDown();
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(result(future));
      }
      return results;
    }
  }

  private static <T> T result(Future<T> future) throws Exception {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new AssertionError("One of many at once failed: " + e.getCause(), e.getCause());
    }
  }
}
