package dev.cove.review.hide;

import dev.cove.review.tree.TreePath;
import java.util.ArrayList;
import java.util.List;

/**
 * Says which paths are hidden, in the manner of an ignore file: the last pattern that fits decides,
 * one with {@code !} shows. A pattern with a slash is for paths from the top, one without for names
 * at any depth; one with a slash at its end is for folders. What is in a hidden folder cannot be
 * shown.
 */
public final class HidingRules {
  /** Where a project says so itself. */
  public static final String FILE = ".coveignore";

  public static final int MOST_BYTES = 64 * 1024;
  private static final int MOST_RULES = 1_000;
  private static final String ANY_DEPTH = "**";

  private record Rule(boolean shows, boolean foldersOnly, List<NamePattern> parts) {
    boolean fits(TreePath path, boolean folder) {
      if (foldersOnly && !folder) {
        return false;
      }
      // Nearly all of them are like this, and there may be a great many names.
      return isForNames() ? parts.getLast().matches(path.name()) : fits(parts, path.parts());
    }

    boolean isForNames() {
      return parts.size() == 2 && parts.getFirst().text().equals(ANY_DEPTH);
    }

    private static boolean fits(List<NamePattern> parts, List<String> names) {
      if (parts.isEmpty()) {
        return names.isEmpty();
      }
      if (parts.getFirst().text().equals(ANY_DEPTH)) {
        List<NamePattern> rest = parts.subList(1, parts.size());
        for (int from = 0; from <= names.size(); from++) {
          if (fits(rest, names.subList(from, names.size()))) {
            return true;
          }
        }
        return false;
      }
      return !names.isEmpty()
          && parts.getFirst().matches(names.getFirst())
          && fits(parts.subList(1, parts.size()), names.subList(1, names.size()));
    }
  }

  private final List<Rule> rules = new ArrayList<>();
  private final String text;

  private HidingRules(List<String> lines) {
    this.text = String.join("\n", lines);
    lines.forEach(this::add);
  }

  /**
   * @param ignoreFile what the project says, or nothing
   * @param hide patterns that are added
   * @param show patterns that take back any of those before
   */
  public static HidingRules of(String ignoreFile, List<String> hide, List<String> show) {
    var lines = new ArrayList<>(UsuallyHidden.PATTERNS);
    ignoreFile.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(lines::add);
    lines.addAll(hide);
    show.forEach(pattern -> lines.add("!" + pattern));
    if (lines.size() > MOST_RULES) {
      throw new IllegalArgumentException(
          "There are %d patterns of what is to be hidden, at most %d are allowed"
              .formatted(lines.size(), MOST_RULES));
    }
    return new HidingRules(lines);
  }

  private void add(String line) {
    boolean shows = line.startsWith("!");
    String pattern = (shows ? line.substring(1) : line).strip();
    boolean foldersOnly = pattern.endsWith("/");
    if (foldersOnly) {
      pattern = pattern.substring(0, pattern.length() - 1);
    }
    boolean fromTheTop = pattern.indexOf('/') >= 0;
    var parts = new ArrayList<NamePattern>();
    if (!fromTheTop) {
      parts.add(new NamePattern(ANY_DEPTH));
    }
    for (String part : pattern.split("/")) {
      boolean again = !parts.isEmpty() && parts.getLast().text().equals(ANY_DEPTH);
      if (!part.isEmpty() && !(again && part.equals(ANY_DEPTH))) {
        parts.add(new NamePattern(part));
      }
    }
    if (!pattern.isEmpty()) {
      rules.add(new Rule(shows, foldersOnly, parts));
    }
  }

  /** Of a path in a folder that is not hidden itself. */
  boolean hides(TreePath path, boolean folder) {
    for (Rule rule : rules.reversed()) {
      if (rule.fits(path, folder)) {
        return !rule.shows();
      }
    }
    return false;
  }

  /** Whether somebody says by name that a path is to be shown. */
  boolean shows(TreePath path) {
    return rules.reversed().stream()
        .filter(rule -> rule.fits(path, false))
        .findFirst()
        .map(Rule::shows)
        .orElse(false);
  }

  /** Names at the top that are hidden whether they are there or not. */
  List<TreePath> always() {
    return rules.stream()
        .filter(rule -> !rule.shows() && rule.isForNames())
        .map(rule -> rule.parts().getLast())
        .filter(NamePattern::isLiteral)
        .map(name -> new TreePath(name.text()))
        .distinct()
        .filter(path -> hides(path, true))
        .toList();
  }

  /** The same for the same rules. */
  String text() {
    return text;
  }
}
