package dev.cove.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PatientAppenderTest {
  private final LoggerContext context = new LoggerContext();

  @Test
  void what_a_caller_wrote_stays_on_its_line() {
    var out = new ByteArrayOutputStream();
    Logger log = logTo(out);
    log.info("name is {}", "a\r\n2026-01-01 INFO forged\u001b[2J\u202e\u2028b");
    log.warn("it failed", new IllegalStateException("first\nsecond"));
    context.stop();
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text)
        .contains("name is a\\u000d\\u000a2026-01-01 INFO forged\\u001b[2J\\u202e\\u2028b\n")
        .contains("java.lang.IllegalStateException: first\\u000asecond\n");
    assertThat(text.lines())
        .allMatch(line -> line.startsWith("\t") || line.matches("[0-9TZ:.-]+ (INFO|WARN) .*"));
  }

  @Test
  void a_reader_who_stopped_holds_up_nobody_and_hears_later_how_much_was_lost() throws Exception {
    var out = new StuckStream();
    Logger log = logTo(out);
    log.info("first");
    assertThat(out.reached.await(10, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < PatientAppender.MAX_QUEUED + 100; i++) {
      log.info("line");
    }
    out.release.countDown();
    context.stop();
    assertThat(out.written.toString(StandardCharsets.UTF_8))
        .contains("(100 log lines were lost because nobody read them)");
  }

  @Test
  void a_huge_message_is_cut() {
    var out = new ByteArrayOutputStream();
    logTo(out).info("x".repeat(1_000_000));
    context.stop();
    assertThat(out.size()).isBetween(8_000, 9_000);
  }

  @Test
  void for_programs_each_line_is_an_object_whatever_a_caller_wrote() {
    var out = new ByteArrayOutputStream();
    Logger log = logTo(out, LogFormat.JSON);
    log.info("name is {}", "a\r\n{\"level\":\"ERROR\"}\u001b[2J");
    log.warn("it failed", new IllegalStateException("first", new IllegalStateException("cause")));
    log.info("x".repeat(1_000_000));
    context.stop();
    List<JsonNode> lines =
        out.toString(StandardCharsets.UTF_8).lines().map(JsonMapper.shared()::readTree).toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.getFirst().get("message").asString())
        .isEqualTo("name is a\r\n{\"level\":\"ERROR\"}\u001b[2J");
    assertThat(lines.getFirst().get("level").asString()).isEqualTo("INFO");
    assertThat(Instant.parse(lines.getFirst().get("time").asString())).isNotNull();
    assertThat(lines.get(1).get("error").asString()).contains("first").contains("cause");
    assertThat(lines.get(2).get("message").asString().length()).isLessThan(9_000);
  }

  private Logger logTo(OutputStream out) {
    return logTo(out, LogFormat.TEXT);
  }

  private Logger logTo(OutputStream out, LogFormat format) {
    var appender = new PatientAppender(out, format);
    appender.setContext(context);
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(appender);
    return root;
  }

  /** Blocks at its first write, as a full pipe does. */
  private static final class StuckStream extends OutputStream {
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);
    final ByteArrayOutputStream written = new ByteArrayOutputStream();

    @Override
    public void write(int b) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void write(byte[] bytes) {
      reached.countDown();
      boolean released = false;
      while (!released) {
        try {
          released = release.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
          // A write to a pipe is not interrupted either.
        }
      }
      written.writeBytes(bytes);
    }
  }
}
