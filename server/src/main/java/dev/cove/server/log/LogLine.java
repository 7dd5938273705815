package dev.cove.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import org.jspecify.annotations.Nullable;

/**
 * An event as text. Whatever a message or an exception quotes from a caller stays on its line and
 * cannot move the cursor, so nobody can forge a line of the log or play tricks on who reads it.
 */
final class LogLine {
  private static final int MAX_MESSAGE = 8_192;
  private static final int MAX_FRAMES = 40;
  private static final int MAX_CAUSES = 8;

  private LogLine() {}

  static String of(ILoggingEvent event) {
    var line = new StringBuilder(200);
    line.append(event.getInstant()).append(' ').append(event.getLevel()).append(' ');
    line.append(shortName(event.getLoggerName())).append(": ");
    escape(event.getFormattedMessage(), line);
    line.append('\n');
    @Nullable IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      line.append(describe(thrown));
    }
    return line.toString();
  }

  /** What was thrown and what caused it, as lines that begin with a tab. */
  static String describe(IThrowableProxy thrown) {
    var lines = new StringBuilder(200);
    @Nullable IThrowableProxy next = thrown;
    for (int depth = 0; next != null && depth < MAX_CAUSES; depth++) {
      describe(next, lines);
      next = next.getCause();
    }
    return lines.toString();
  }

  /** A message that is not longer than any should be. */
  static String cut(String message) {
    return message.length() <= MAX_MESSAGE
        ? message
        : message.substring(0, MAX_MESSAGE) + "… (cut)";
  }

  private static void describe(IThrowableProxy thrown, StringBuilder line) {
    line.append("\t").append(thrown.getClassName()).append(": ");
    escape(String.valueOf(thrown.getMessage()), line);
    line.append('\n');
    StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
    int own = frames.length - thrown.getCommonFrames();
    for (int i = 0; i < Math.min(own, MAX_FRAMES); i++) {
      line.append("\t\t").append(frames[i].getSTEAsString()).append('\n');
    }
  }

  private static String shortName(String logger) {
    return logger.substring(logger.lastIndexOf('.') + 1);
  }

  private static void escape(String text, StringBuilder line) {
    int end = Math.min(text.length(), MAX_MESSAGE);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c)
          || Character.getType(c) == Character.FORMAT
          || c == '\u2028'
          || c == '\u2029') {
        line.append("\\u%04x".formatted((int) c));
      } else {
        line.append(c);
      }
    }
    if (end < text.length()) {
      line.append("… (cut)");
    }
  }
}
