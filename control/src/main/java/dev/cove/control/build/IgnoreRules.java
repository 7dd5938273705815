package dev.cove.control.build;

import dev.cove.model.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code .dockerignore}: what matches, or lies below what matches, is left out; the last rule
 * that says something wins.
 *
 * <p>Names must be asked for parents first.
 */
final class IgnoreRules {
  static final String FILE = ".dockerignore";
  static final int MAX_RULES = 500;
  private static final int MAX_LENGTH = EntryPath.MAX_NAME;
  private static final String ANY_DEPTH = "**";
  private static final BitSet NONE = new BitSet();

  /**
   * @param keeps whether it starts with an exclamation mark
   */
  private record Rule(boolean keeps, List<Part> parts) {}

  private sealed interface Part {
    record AnyDepth() implements Part {}

    record Named(Glob glob) implements Part {}
  }

  private final Effort effort = new Effort(FILE);
  private final List<Rule> rules = new ArrayList<>();
  private final Map<String, BitSet> matchedByFolder = new HashMap<>();

  IgnoreRules(String text) {
    int line = 0;
    for (String written : text.lines().toList()) {
      line++;
      if (!written.startsWith("#") && !written.isBlank()) {
        add(line, written.strip());
      }
    }
  }

  private void add(int line, String written) {
    boolean keeps = written.startsWith("!");
    String pattern = EntryPath.clean(keeps ? written.substring(1).strip() : written);
    if (rules.size() == MAX_RULES || pattern.length() > MAX_LENGTH) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          "%s has more than %d rules or one of more than %d characters"
              .formatted(FILE, MAX_RULES, MAX_LENGTH));
    }
    if (pattern.isEmpty()) {
      return;
    }
    try {
      rules.add(new Rule(keeps, parts(pattern)));
    } catch (BuildException e) {
      throw new BuildException(
          "%s, line %d: '%s' is no pattern: %s"
              .formatted(FILE, line, Expansion.shown(written), e.getMessage()));
    }
  }

  private static List<Part> parts(String pattern) {
    var parts = new ArrayList<Part>();
    for (String part : pattern.split("/")) {
      if (part.startsWith(ANY_DEPTH)) {
        parts.add(new Part.AnyDepth());
        if (part.length() == ANY_DEPTH.length()) {
          continue;
        }
      }
      parts.add(new Part.Named(new Glob(part)));
    }
    return parts;
  }

  boolean isIgnored(String name) {
    BitSet matched = (BitSet) matchedByFolder.getOrDefault(EntryPath.parent(name), NONE).clone();
    int[][] path =
        Arrays.stream(name.split("/"))
            .map(part -> part.codePoints().toArray())
            .toArray(int[][]::new);
    boolean ignored = false;
    for (int number = 0; number < rules.size(); number++) {
      Rule rule = rules.get(number);
      if (matched.get(number) || matches(rule.parts(), path)) {
        matched.set(number);
        ignored = !rule.keeps();
      }
    }
    if (!matched.isEmpty()) {
      matchedByFolder.put(name, matched);
    }
    return ignored;
  }

  private boolean matches(List<Part> parts, int[][] path) {
    int part = 0;
    int folder = 0;
    int deepPart = -1;
    int deepFolder = 0;
    while (folder < path.length) {
      effort.spend(1);
      if (part < parts.size() && parts.get(part) instanceof Part.AnyDepth) {
        deepPart = part++;
        deepFolder = folder;
      } else if (part < parts.size()
          && parts.get(part) instanceof Part.Named(Glob glob)
          && glob.matches(path[folder], effort)) {
        part++;
        folder++;
      } else if (deepPart >= 0) {
        part = deepPart + 1;
        folder = ++deepFolder;
      } else {
        return false;
      }
    }
    return part == parts.size();
  }
}
