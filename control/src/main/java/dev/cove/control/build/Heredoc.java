package dev.cove.control.build;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lines that belong to an instruction, up to one that holds only the name.
 *
 * @param word as it stands in the instruction, {@code <<-"EOF"}
 * @param withoutTabs whether the tabs in front of each line are dropped
 * @param content the lines as written, each with its end
 */
record Heredoc(String word, String name, boolean withoutTabs, String content) {
  private static final Pattern WORD =
      Pattern.compile("(\\d*<<(-?)(['\"]?)([A-Za-z_][\\w.-]*)\\3)(?:[;&|)>].*)?", Pattern.DOTALL);

  /** Those that an instruction announces, still without content. */
  static List<Heredoc> announcedIn(Iterable<String> words) {
    var found = new ArrayList<Heredoc>();
    for (String word : words) {
      Matcher heredoc = WORD.matcher(word);
      if (word.contains("<<") && heredoc.matches()) {
        found.add(new Heredoc(heredoc.group(1), heredoc.group(4), !heredoc.group(2).isEmpty(), ""));
      }
    }
    return found;
  }

  boolean endsAt(String line) {
    return (withoutTabs ? withoutTabs(line) : line).equals(name);
  }

  Heredoc with(String lines) {
    return new Heredoc(word, name, withoutTabs, lines);
  }

  /** What a program that reads it gets. */
  String script() {
    if (!withoutTabs) {
      return content;
    }
    var script = new StringBuilder();
    content.lines().forEach(line -> script.append(withoutTabs(line)).append('\n'));
    return script.toString();
  }

  private static String withoutTabs(String line) {
    int start = 0;
    while (start < line.length() && line.charAt(start) == '\t') {
      start++;
    }
    return line.substring(start);
  }
}
