package dev.cove.server;

import dev.cove.control.ledger.LedgerUnusableException;
import dev.cove.model.CoveException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code cove server}: runs in the foreground until it is told to end. */
public final class ServerMain {
  private static final int EXIT_CANNOT_START = 1;
  private static final int EXIT_BAD_SETTINGS = 2;
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private ServerMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    Logger log = LoggerFactory.getLogger(ServerMain.class);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, fault) -> log.error("Thread {} ended", thread.getName(), fault));
    CoveServer server = start(List.of(arguments));
    var ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().unstarted(() -> end(server, log, ended)));
    ended.await();
  }

  private static CoveServer start(List<String> arguments) {
    try {
      return CoveServer.start(ServerConfig.read(arguments, System.getenv()));
    } catch (ConfigException e) {
      e.faults().forEach(fault -> System.err.println("cove server: " + fault + "."));
      throw exit(EXIT_BAD_SETTINGS);
    } catch (StartException | LedgerUnusableException | CoveException e) {
      System.err.println("cove server: " + e.getMessage());
      throw exit(EXIT_CANNOT_START);
    }
  }

  /** Sandboxes go on running: a new server finds them. */
  private static void end(CoveServer server, Logger log, CountDownLatch ended) {
    log.info("ending; sandboxes go on running");
    Thread closing = Thread.ofPlatform().name("close").daemon().start(server::close);
    try {
      if (!closing.join(DRAIN)) {
        log.warn("ending although requests are still under way after {}", DRAIN);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    stopLogging();
    ended.countDown();
  }

  private static void stopLogging() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (factory instanceof ch.qos.logback.classic.LoggerContext context) {
      context.stop();
    }
  }

  /** Never returns; typed so that callers can say {@code throw}. */
  private static IllegalStateException exit(int code) {
    stopLogging();
    System.exit(code);
    return new IllegalStateException();
  }
}
