package dev.cove.control.build;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What no step may hold, whoever made it. */
final class Checked {
  private static final Pattern PORT =
      Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?(?:/(?i:tcp|udp|sctp))?");
  static final int MAX_SOURCES = 1_000;
  private static final int MAX_PORT = 65_535;

  private static final Pattern REMOTE =
      Pattern.compile("(?i)(?:https?|ftp|git|ssh)://.*|git@[^:]+:.*", Pattern.DOTALL);

  private Checked() {}

  static List<String> sources(int line, List<String> sources) {
    if (sources.size() > MAX_SOURCES) {
      throw new BuildException(
          line, "COPY has more than %d sources; use a pattern".formatted(MAX_SOURCES));
    }
    return texts(line, "COPY", sources);
  }

  static void local(int line, List<String> sources) {
    for (String source : sources) {
      if (REMOTE.matcher(source).matches()) {
        throw new BuildException(
            line,
            "ADD of '%s' is not supported; fetch it with RUN, or put it into the context"
                .formatted(Expansion.shown(source)));
      }
    }
  }

  /** A zero byte ends a text inside the kernel: what follows would silently be lost. */
  static void text(int line, String instruction, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new BuildException(line, instruction + " must not hold a zero byte");
    }
  }

  static void filled(int line, String instruction, String text) {
    text(line, instruction, text);
    if (text.isBlank()) {
      throw new BuildException(line, instruction + " needs a value");
    }
  }

  static void name(int line, String instruction, String name) {
    text(line, instruction, name);
    if (name.isBlank() || name.indexOf('=') >= 0) {
      throw new BuildException(line, instruction + " needs a name without '='");
    }
  }

  static List<String> texts(int line, String instruction, List<String> texts) {
    texts.forEach(text -> text(line, instruction, text));
    return List.copyOf(texts);
  }

  static List<String> command(int line, String instruction, List<String> argv) {
    if (argv.isEmpty() || argv.getFirst().isEmpty()) {
      throw new BuildException(line, instruction + " needs a command");
    }
    return texts(line, instruction, argv);
  }

  static List<String> ports(int line, List<String> ports) {
    if (ports.isEmpty()) {
      throw new BuildException(line, "EXPOSE needs a port");
    }
    for (String port : ports) {
      if (port.indexOf('$') < 0 && !isPort(port)) {
        throw new BuildException(
            line, "'%s' is no port; write 80, 80/tcp or 8000-8010/udp".formatted(port));
      }
    }
    return List.copyOf(ports);
  }

  private static boolean isPort(String text) {
    Matcher port = PORT.matcher(text);
    if (!port.matches()) {
      return false;
    }
    int first = Integer.parseInt(port.group(1));
    int last = port.group(2) == null ? first : Integer.parseInt(port.group(2));
    return first >= 1 && first <= last && last <= MAX_PORT;
  }
}
