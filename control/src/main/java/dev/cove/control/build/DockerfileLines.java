package dev.cove.control.build;

import dev.cove.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts a Dockerfile into instructions: comments, continued lines, heredocs, directives. */
final class DockerfileLines {
  private static final Pattern DIRECTIVE =
      Pattern.compile("#\\s*([A-Za-z][A-Za-z0-9]*)\\s*=\\s*(\\S.*)");
  private static final Set<String> WITH_HEREDOC = Set.of("RUN", "COPY", "ADD");

  private final String[] lines;
  private int at;
  private char escape = '\\';

  DockerfileLines(String text) {
    if (text.length() > Dockerfile.MAX_SIZE
        || text.getBytes(StandardCharsets.UTF_8).length > Dockerfile.MAX_SIZE) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          "The Dockerfile has more than %d bytes".formatted(Dockerfile.MAX_SIZE));
    }
    lines = (text.startsWith("\uFEFF") ? text.substring(1) : text).split("\r?\n", -1);
  }

  List<Instruction> read() {
    readDirectives();
    var instructions = new ArrayList<Instruction>();
    while (at < lines.length) {
      if (isSkipped(lines[at])) {
        at++;
      } else {
        instructions.add(readInstruction());
        requireFew(instructions);
      }
    }
    return instructions;
  }

  private static void requireFew(List<Instruction> instructions) {
    if (instructions.size() > Dockerfile.MAX_STEPS + Dockerfile.MAX_STAGES) {
      throw Dockerfile.tooManySteps(instructions.getLast().line());
    }
  }

  /** They count in front of everything else only. */
  private void readDirectives() {
    var seen = new ArrayList<String>();
    while (at < lines.length) {
      Matcher directive = DIRECTIVE.matcher(lines[at].strip());
      if (!directive.matches()) {
        return;
      }
      String name = directive.group(1).toLowerCase(Locale.ROOT);
      if (!Set.of("escape", "syntax", "check").contains(name)) {
        return;
      }
      if (seen.contains(name)) {
        throw new BuildException(at + 1, "The directive '%s' is given twice".formatted(name));
      }
      seen.add(name);
      if (name.equals("escape")) {
        escape = escapeOf(directive.group(2).strip());
      }
      at++;
    }
  }

  private char escapeOf(String value) {
    if (!value.equals("\\") && !value.equals("`")) {
      throw new BuildException(at + 1, "The escape character is \\ or `, not " + value);
    }
    return value.charAt(0);
  }

  private static boolean isSkipped(String line) {
    String stripped = line.strip();
    return stripped.isEmpty() || stripped.startsWith("#");
  }

  private Instruction readInstruction() {
    int first = at + 1;
    String joined = readContinued().strip();
    int end = 0;
    while (end < joined.length() && !Character.isWhitespace(joined.charAt(end))) {
      end++;
    }
    String keyword = joined.substring(0, end).toUpperCase(Locale.ROOT);
    String rest = joined.substring(end).strip();
    if (!WITH_HEREDOC.contains(keyword) || !rest.contains("<<")) {
      return new Instruction(first, keyword, rest, joined, List.of(), escape);
    }
    int bodyStart = at;
    List<Heredoc> heredocs = readHeredocs(first, rest);
    String body = String.join("\n", Arrays.asList(lines).subList(bodyStart, at));
    String text = body.isEmpty() ? joined : joined + "\n" + body;
    return new Instruction(first, keyword, rest, text, heredocs, escape);
  }

  private String readContinued() {
    var joined = new StringBuilder();
    boolean isFirst = true;
    while (at < lines.length) {
      String line = lines[at++];
      if (!isFirst && isSkipped(line)) {
        continue;
      }
      isFirst = false;
      String stripped = line.stripTrailing();
      if (!isContinued(stripped)) {
        return joined.append(line).toString();
      }
      joined.append(stripped, 0, stripped.length() - 1);
    }
    return joined.toString();
  }

  /** An escape character that is itself escaped continues nothing. */
  private boolean isContinued(String line) {
    int last = line.length() - 1;
    return last >= 0
        && line.charAt(last) == escape
        && (last == 0 || line.charAt(last - 1) != escape);
  }

  private List<Heredoc> readHeredocs(int line, String rest) {
    var read = new ArrayList<Heredoc>();
    for (Heredoc heredoc : Heredoc.announcedIn(Words.split(rest, escape))) {
      var content = new StringBuilder();
      while (at < lines.length && !heredoc.endsAt(lines[at])) {
        content.append(lines[at++]).append('\n');
      }
      if (at == lines.length) {
        throw new BuildException(
            line, "No line ends the heredoc: it must hold %s alone".formatted(heredoc.name()));
      }
      at++;
      read.add(heredoc.with(content.toString()));
    }
    return List.copyOf(read);
  }
}
