package dev.cove.cli;

import dev.cove.sdk.Change;
import dev.cove.sdk.ChangedEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Changes as people read them: a line for each, the dangerous marked and first. */
final class ChangeSummary {
  private static final String MARK = "!";

  private final boolean colours;
  private final boolean manyProjects;

  /**
   * @param manyProjects whether a path must be told together with its project
   */
  ChangeSummary(boolean colours, boolean manyProjects) {
    this.colours = colours;
    this.manyProjects = manyProjects;
  }

  /** Such as {@code 3 changes: 1 added, 2 changed; 1 deserves a second look}. */
  static String count(ReviewedChanges changes) {
    Map<String, Long> kinds =
        changes.all().stream()
            .collect(
                Collectors.groupingBy(
                    change -> kindInWords(change.kind()),
                    LinkedHashMap::new,
                    Collectors.counting()));
    long marked = changes.all().stream().filter(change -> !change.dangers().isEmpty()).count();
    return "%s: %s%s"
        .formatted(
            Human.count(changes.total(), "change"),
            kinds.entrySet().stream()
                .map(kind -> kind.getValue() + " " + kind.getKey())
                .collect(Collectors.joining(", ")),
            marked == 0
                ? ""
                : "; %d deserve%s a second look".formatted(marked, marked == 1 ? "s" : ""));
  }

  private static String kindInWords(String kind) {
    return switch (kind) {
      case "mode" -> "with other permissions";
      case "type" -> "of another type";
      default -> kind;
    };
  }

  List<String> lines(List<Change> changes) {
    int width = changes.stream().mapToInt(change -> name(change).length()).max().orElse(0);
    int most = Math.min(width, 60);
    return changes.stream().map(change -> line(change, most)).toList();
  }

  private String line(Change change, int width) {
    boolean marked = !change.dangers().isEmpty();
    String name = name(change);
    String padded = name + " ".repeat(Math.max(0, width - name.length()));
    var notes = new ArrayList<String>();
    notes.add(size(change));
    change.dangers().forEach(danger -> notes.add(warning(danger.text())));
    if (change.hostChanged()) {
      notes.add(warning("the host's file changed as well"));
    }
    return "%s %s %s  %s"
        .formatted(
            marked ? Paint.WARNING.on(MARK, colours) : " ",
            letter(change.kind()).on(Character.toString(letterOf(change.kind())), colours),
            marked ? Paint.BOLD.on(padded, colours) : padded,
            String.join("; ", notes))
        .stripTrailing();
  }

  private String warning(String text) {
    return Paint.YELLOW.on(Escapes.visible(text), colours);
  }

  /** With where it was before, if it was renamed. */
  String name(Change change) {
    return change.from().map(from -> where(change) + Escapes.visible(from) + " -> ").orElse("")
        + path(change);
  }

  String path(Change change) {
    return where(change) + Escapes.visible(change.path());
  }

  private String where(Change change) {
    return manyProjects ? Escapes.visible(change.project()) + "/" : "";
  }

  private static Paint letter(String kind) {
    return switch (kind) {
      case "added" -> Paint.GREEN;
      case "deleted" -> Paint.RED;
      default -> Paint.CYAN;
    };
  }

  static char letterOf(String kind) {
    return switch (kind) {
      case "added" -> 'A';
      case "deleted" -> 'D';
      case "changed" -> 'M';
      case "renamed" -> 'R';
      case "mode" -> 'P';
      case "type" -> 'T';
      default -> '?';
    };
  }

  /** What it was and what it is, as far as the two differ. */
  static String size(Change change) {
    if (change.before().isEmpty() || change.after().isEmpty()) {
      return change.after().or(change::before).map(ChangeSummary::entry).orElse("");
    }
    ChangedEntry before = change.before().get();
    ChangedEntry after = change.after().get();
    if (change.kind().equals("mode")) {
      return before.mode() + " -> " + after.mode();
    }
    String was = entry(before);
    String is = entry(after);
    return was.equals(is) ? is : was + " -> " + is;
  }

  private static String entry(ChangedEntry entry) {
    return switch (entry.type()) {
      case "file" -> Human.bytes(entry.bytes());
      case "link" -> "link to " + Escapes.visible(entry.link().orElse("?"));
      case "other" -> "pipe, socket or device";
      default -> entry.type();
    };
  }
}
