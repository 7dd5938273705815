package dev.cove.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hands lines to a thread that writes them. When whoever reads stderr has stopped reading, lines
 * are dropped and counted; requests go on.
 */
final class PatientAppender extends AppenderBase<ILoggingEvent> {
  static final int MAX_QUEUED = 4_096;
  private static final long FLUSH_MILLIS = 2_000;

  private final OutputStream out;
  private final LogFormat format;
  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MAX_QUEUED);
  private final AtomicLong lost = new AtomicLong();
  private final Thread writer = Thread.ofPlatform().name("log").daemon().unstarted(this::write);
  private volatile boolean stopping;

  PatientAppender(OutputStream out, LogFormat format) {
    this.out = out;
    this.format = format;
  }

  @Override
  public void start() {
    writer.start();
    super.start();
  }

  /** Writes what is queued, for as long as that takes a reader who reads. */
  @Override
  public void stop() {
    super.stop();
    stopping = true;
    writer.interrupt();
    try {
      writer.join(FLUSH_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (!lines.offer(format.line(event))) {
      lost.incrementAndGet();
    }
  }

  private void write() {
    try {
      while (!stopping || !lines.isEmpty()) {
        String line = next();
        long missing = lost.getAndSet(0);
        if (missing > 0) {
          line += format.lost(missing);
        }
        out.write(line.getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (IOException _) {
      stop(); // stderr is closed: there is nowhere left to say so
    }
  }

  private String next() {
    try {
      String line = lines.poll(1, TimeUnit.MINUTES);
      return line == null ? "" : line;
    } catch (InterruptedException _) {
      return ""; // stop() wakes us; the loop's condition decides
    }
  }
}
