package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The system's own way. It blocks in native code, so it has platform threads of its own; a few, and
 * a short queue, since a dead name server holds each of them for long.
 */
final class SystemResolver implements Resolver {
  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final Duration TIME_TO_LIVE = Duration.ofSeconds(30);
  private static final int THREADS = 16;
  private static final int QUEUE = 256;

  private final ExecutorService threads;

  SystemResolver() {
    var pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUE),
            Thread.ofPlatform().daemon().name("resolver-", 0).factory());
    pool.allowCoreThreadTimeOut(true);
    threads = pool;
  }

  @Override
  public Resolution resolve(DomainName name) throws InterruptedException {
    Future<InetAddress[]> lookUp;
    try {
      lookUp = threads.submit(() -> InetAddress.getAllByName(name.value()));
    } catch (RejectedExecutionException e) {
      return new Resolution.Failed();
    }
    try {
      InetAddress[] found = lookUp.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      return new Resolution.Found(List.of(found), List.of(), TIME_TO_LIVE);
    } catch (TimeoutException e) {
      lookUp.cancel(true);
      return new Resolution.Failed();
    } catch (ExecutionException e) {
      return e.getCause() instanceof UnknownHostException
          ? new Resolution.Missing()
          : new Resolution.Failed();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
