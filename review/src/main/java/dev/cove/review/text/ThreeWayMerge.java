package dev.cove.review.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings two versions together that began as the same text.
 *
 * <p>The edits of both sides are laid over the base. Where one side alone has edited, its lines are
 * taken. Edits of both that share a line of the base, or touch without a line between them, meet:
 * the same edit on both sides is taken once, anything else is a conflict. Two edits that only touch
 * could be taken both, in one order or the other, and nobody knows which was meant.
 */
public final class ThreeWayMerge {
  private static final String OURS = "<<<<<<< ";
  private static final String BASE = "||||||| ";
  private static final String BETWEEN = "=======\n";
  private static final String THEIRS = ">>>>>>> ";

  private final Lines base;
  private final Lines ours;
  private final Lines theirs;
  private final List<Edit> oursEdits;
  private final List<Edit> theirsEdits;
  private final List<Part> parts = new ArrayList<>();

  /** A part of the merged text, from its beginning to its end. */
  public sealed interface Part {
    /** Lines that nobody contests. */
    record Settled(List<String> lines) implements Part {}

    /** What each had in a place where both edited. */
    record Contested(List<String> base, List<String> ours, List<String> theirs) implements Part {}
  }

  /** How the three are called where a conflict is shown. */
  public record Names(String ours, String base, String theirs) {}

  /** What came of it. */
  public record Merged(List<Part> parts) {
    public Merged {
      parts = List.copyOf(parts);
    }

    public boolean isClean() {
      return parts.stream().allMatch(Part.Settled.class::isInstance);
    }

    public long conflicts() {
      return parts.stream().filter(Part.Contested.class::isInstance).count();
    }

    /** The text, with all versions between markers where they are contested. */
    public byte[] bytes(Names names) {
      var lines = new ArrayList<String>();
      for (Part part : parts) {
        switch (part) {
          case Part.Settled(var settled) -> lines.addAll(settled);
          case Part.Contested contested -> mark(contested, names, lines);
        }
      }
      return String.join("", lines).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void mark(Part.Contested contested, Names names, List<String> lines) {
      lines.add(OURS + names.ours() + "\n");
      contested.ours().forEach(line -> lines.add(ended(line)));
      lines.add(BASE + names.base() + "\n");
      contested.base().forEach(line -> lines.add(ended(line)));
      lines.add(BETWEEN);
      contested.theirs().forEach(line -> lines.add(ended(line)));
      lines.add(THEIRS + names.theirs() + "\n");
    }

    private static String ended(String line) {
      return line.endsWith("\n") ? line : line + "\n";
    }
  }

  private ThreeWayMerge(Lines base, Lines ours, Lines theirs) {
    this.base = base;
    this.ours = ours;
    this.theirs = theirs;
    this.oursEdits = LineEdits.between(base, ours);
    this.theirsEdits = LineEdits.between(base, theirs);
  }

  public static Merged merge(Lines base, Lines ours, Lines theirs) {
    return new ThreeWayMerge(base, ours, theirs).run();
  }

  private Merged run() {
    int at = 0;
    int our = 0;
    int their = 0;
    while (our < oursEdits.size() || their < theirsEdits.size()) {
      int start = Math.min(startOf(oursEdits, our), startOf(theirsEdits, their));
      int end = start;
      int ourEnd = our;
      int theirEnd = their;
      boolean grown = true;
      while (grown) { // an edit that meets the region becomes part of it
        grown = false;
        if (startOf(oursEdits, ourEnd) <= end) {
          end = Math.max(end, oursEdits.get(ourEnd++).end());
          grown = true;
        }
        if (startOf(theirsEdits, theirEnd) <= end) {
          end = Math.max(end, theirsEdits.get(theirEnd++).end());
          grown = true;
        }
      }
      settle(base.all().subList(at, start));
      region(start, end, oursEdits.subList(our, ourEnd), theirsEdits.subList(their, theirEnd));
      at = end;
      our = ourEnd;
      their = theirEnd;
    }
    settle(base.all().subList(at, base.count()));
    return new Merged(parts);
  }

  private static int startOf(List<Edit> edits, int index) {
    return index < edits.size() ? edits.get(index).start() : Integer.MAX_VALUE;
  }

  private void region(int start, int end, List<Edit> our, List<Edit> their) {
    List<String> oursLines = lines(ours, start, end, our);
    List<String> theirsLines = lines(theirs, start, end, their);
    if (their.isEmpty() || oursLines.equals(theirsLines)) {
      settle(oursLines);
    } else if (our.isEmpty()) {
      settle(theirsLines);
    } else {
      parts.add(
          new Part.Contested(List.copyOf(base.all().subList(start, end)), oursLines, theirsLines));
    }
  }

  /** What one side has in a region of the base. */
  private List<String> lines(Lines side, int start, int end, List<Edit> edits) {
    var lines = new ArrayList<String>();
    int at = start;
    for (Edit edit : edits) {
      lines.addAll(base.all().subList(at, edit.start()));
      lines.addAll(side.all().subList(edit.newStart(), edit.newEnd()));
      at = edit.end();
    }
    lines.addAll(base.all().subList(at, end));
    return List.copyOf(lines);
  }

  private void settle(List<String> lines) {
    if (!lines.isEmpty()) {
      parts.add(new Part.Settled(List.copyOf(lines)));
    }
  }
}
