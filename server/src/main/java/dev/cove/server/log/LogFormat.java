package dev.cove.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** How an event becomes a line. */
public enum LogFormat {
  /** For people. */
  TEXT {
    @Override
    String line(ILoggingEvent event) {
      return LogLine.of(event);
    }

    @Override
    String lost(long lines) {
      return "(%d log lines were lost because nobody read them)%n".formatted(lines);
    }
  },

  /** For programs: an object on each line. */
  JSON {
    @Override
    String line(ILoggingEvent event) {
      var members = new LinkedHashMap<String, Object>();
      members.put("time", event.getInstant().toString());
      members.put("level", event.getLevel().toString());
      members.put("logger", event.getLoggerName());
      members.put("thread", event.getThreadName());
      members.put("message", LogLine.cut(event.getFormattedMessage()));
      @Nullable IThrowableProxy thrown = event.getThrowableProxy();
      if (thrown != null) {
        members.put("error", LogLine.describe(thrown));
      }
      return JsonMapper.shared().writeValueAsString(members) + "\n";
    }

    @Override
    String lost(long lines) {
      return JsonMapper.shared().writeValueAsString(Map.of("lostLines", lines)) + "\n";
    }
  };

  public static final String SETTING = "COVE_LOG";

  abstract String line(ILoggingEvent event);

  /** Says how many lines are missing before this one. */
  abstract String lost(long lines);

  /** By its name in the settings; text where none is named. */
  public static Optional<LogFormat> find(String name) {
    return switch (name) {
      case "", "text" -> Optional.of(TEXT);
      case "json" -> Optional.of(JSON);
      default -> Optional.empty();
    };
  }
}
