package dev.cove.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which of a client's public methods work, as runs of the published packages showed it: each is
 * used by a test, or {@code differences.txt} says why not.
 */
final class E2bTable {
  private static final String BEGIN = "<!-- made by E2bSdkTest: begin -->\n";
  private static final String END = "<!-- made by E2bSdkTest: end -->\n";
  private static final Path PAGE = Path.of("..", "docs", "e2b.md");

  private final Set<String> declared = new TreeSet<>();
  private final Map<String, Set<String>> unused = new TreeMap<>();
  private final Set<String> used = new TreeSet<>();
  private final Map<String, Set<String>> refusals = new TreeMap<>();
  private final Map<String, Difference> differences = new LinkedHashMap<>();

  /** What is not as with E2B. */
  private record Difference(String kind, String why) {}

  /**
   * @param differences lines of a kind, some methods and a reason
   */
  E2bTable(String differences) {
    for (String line : differences.lines().filter(text -> !text.startsWith("#")).toList()) {
      String[] parts = line.split(" \\| ", 3);
      if (parts.length != 3 || !Set.of("differs", "missing").contains(parts[0])) {
        throw new IllegalArgumentException("differences.txt: " + line);
      }
      for (String method : parts[1].split(", ")) {
        if (this.differences.put(method, new Difference(parts[0], parts[2])) != null) {
          throw new IllegalArgumentException("differences.txt names it twice: " + method);
        }
      }
    }
  }

  /**
   * Takes in what all scripts of a version said.
   *
   * @param said lines that begin with public, used or refused
   */
  void add(String version, List<String> said) {
    Set<String> here = after("public ", said);
    Set<String> usedHere = after("used ", said);
    declared.addAll(here);
    used.addAll(usedHere);
    for (String line : after("refused ", said)) {
      String[] parts = line.split(" ");
      refusals.computeIfAbsent(parts[0], _ -> new TreeSet<>()).add(parts[1]);
    }
    here.removeAll(usedHere);
    here.removeAll(named("missing"));
    unused.put(version, here);
  }

  private static Set<String> after(String word, List<String> said) {
    return said.stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(word))
        .map(line -> line.substring(word.length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Set<String> named(String kind) {
    return differences.entrySet().stream()
        .filter(difference -> difference.getValue().kind.equals(kind))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** What nobody can account for, in words. */
  List<String> gaps() {
    var gaps = new ArrayList<String>();
    unused.forEach((version, methods) ->
        methods.forEach(method -> gaps.add(version + ": nothing uses " + method)));
    for (String method : differences.keySet()) {
      if (!declared.contains(method)) {
        gaps.add("differences.txt names " + method + ", which is not public");
      }
    }
    for (String method : named("missing")) {
      if (used.contains(method)) {
        gaps.add(method + " is said to be missing, and was used with success");
      }
    }
    return gaps;
  }

  /** One row for all of a class that work, and one for each way in which others differ. */
  String text() {
    Map<String, List<String>> owners =
        declared.stream()
            .collect(
                Collectors.groupingBy(
                    E2bTable::owner,
                    () ->
                        new TreeMap<>(
                            Comparator.comparing((Function<String, String>) String::toLowerCase)
                                .thenComparing(Comparator.naturalOrder())),
                    Collectors.toList()));
    var text =
        new StringBuilder(
            "| Of | Methods (and the errors that are tested) | | |\n|---|---|---|---|\n");
    owners.forEach((owner, methods) -> addRows(text, owner, methods));
    return text.toString();
  }

  private void addRows(StringBuilder text, String owner, List<String> methods) {
    var works = new Difference("works", "");
    Map<Difference, List<String>> rows =
        methods.stream()
            .collect(
                Collectors.groupingBy(
                    method -> differences.getOrDefault(method, works),
                    () ->
                        new TreeMap<>(
                            Comparator.comparing((Difference row) -> !row.equals(works))
                                .thenComparing(Difference::kind)
                                .thenComparing(Difference::why)),
                    Collectors.toList()));
    rows.forEach((row, which) ->
        text.append(
            "| `%s` | %s | %s | %s |\n"
                .formatted(
                    owner,
                    which.stream().map(this::shown).collect(Collectors.joining(", ")),
                    row.kind,
                    row.why)));
  }

  private String shown(String method) {
    String name = "`" + method.substring(owner(method).length() + 1) + "`";
    Set<String> errors = refusals.getOrDefault(method, Set.of());
    return errors.isEmpty() ? name : name + " (" + String.join(", ", errors) + ")";
  }

  private static String owner(String method) {
    return method.substring(0, method.lastIndexOf('.'));
  }

  /** What the page has between its marks. */
  static String onPage() throws IOException {
    return parts().get(1);
  }

  void writeToPage() throws IOException {
    List<String> parts = parts();
    Files.writeString(
        PAGE,
        Stream.of(parts.get(0), BEGIN, text(), END, parts.get(2)).collect(Collectors.joining()));
  }

  private static List<String> parts() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException(PAGE + " has no place for the table");
    }
    return List.of(
        page.substring(0, begin),
        page.substring(begin + BEGIN.length(), end),
        page.substring(end + END.length()));
  }
}
