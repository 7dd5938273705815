package dev.cove.cli.review;

import dev.cove.review.text.DiffLine;
import dev.cove.review.text.Hunk;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One change that somebody decides about, whole or line by line. */
public final class FileReview {
  private final char letter;
  private final String name;
  private final List<String> warnings;
  private final Supplier<Content> source;
  private @Nullable Content content;
  private Choice whole = Choice.OPEN;

  /** Numbers of edits, counted over all hunks; only where the choice is mixed. */
  private final BitSet taken = new BitSet();

  private final BitSet left = new BitSet();

  /**
   * @param letter such as {@code M}
   * @param name fit to be printed
   * @param warnings why it deserves a second look, in half a sentence each
   * @param source asked when somebody looks at it, and once
   */
  public FileReview(char letter, String name, List<String> warnings, Supplier<Content> source) {
    this.letter = letter;
    this.name = name;
    this.warnings = List.copyOf(warnings);
    this.source = source;
  }

  char letter() {
    return letter;
  }

  public String name() {
    return name;
  }

  List<String> warnings() {
    return warnings;
  }

  public Content content() {
    Content known = content;
    if (known == null) {
      known = source.get();
      content = known;
    }
    return known;
  }

  /** Whether anybody has looked at it. */
  public boolean isLoaded() {
    return content != null;
  }

  /** The lines that can be taken or left, over all hunks. */
  List<DiffLine> edits() {
    var edits = new ArrayList<DiffLine>();
    if (content() instanceof Content.Text text) {
      for (Hunk hunk : text.hunks().all()) {
        hunk.lines().stream().filter(DiffLine::isEdit).forEach(edits::add);
      }
    }
    return edits;
  }

  public Choice choice() {
    return whole;
  }

  Choice choiceOf(int edit) {
    if (whole != Choice.MIXED) {
      return whole;
    }
    return taken.get(edit) ? Choice.TAKEN : left.get(edit) ? Choice.LEFT : Choice.OPEN;
  }

  /** The one that they share, if they do. */
  Choice choiceOf(BitSet edits) {
    List<Choice> choices = edits.stream().mapToObj(this::choiceOf).distinct().toList();
    return choices.size() == 1 ? choices.getFirst() : Choice.MIXED;
  }

  public void decide(Choice choice) {
    whole = choice;
    taken.clear();
    left.clear();
  }

  public void decide(BitSet edits, Choice choice) {
    int count = edits().size();
    if (whole != Choice.MIXED) {
      taken.set(0, count, whole == Choice.TAKEN);
      left.set(0, count, whole == Choice.LEFT);
    }
    taken.andNot(edits);
    left.andNot(edits);
    switch (choice) {
      case TAKEN -> taken.or(edits);
      case LEFT -> left.or(edits);
      default -> {}
    }
    whole = Choice.MIXED;
    var every = new BitSet();
    every.set(0, count);
    Choice shared = choiceOf(every);
    if (shared != Choice.MIXED) {
      decide(shared);
    }
  }

  /** Numbers of the edits that are taken and that are left; where the choice is mixed. */
  public record Lines(BitSet taken, BitSet left) {}

  public Lines lines() {
    return new Lines((BitSet) taken.clone(), (BitSet) left.clone());
  }

  /** What was decided before, of the same content. */
  public void decide(Lines before) {
    decide(before.left(), Choice.LEFT);
    decide(before.taken(), Choice.TAKEN);
  }

  /** Whether anything of it is to be applied. */
  public boolean isWanted() {
    return whole == Choice.TAKEN || (whole == Choice.MIXED && !taken.isEmpty());
  }

  /** The file with just the lines that are taken. */
  public byte[] composed() {
    if (!(content() instanceof Content.Text text)) {
      throw new IllegalStateException(name + " has no lines");
    }
    List<DiffLine> edits = edits();
    Set<DiffLine> wanted = new HashSet<>();
    taken.stream().forEach(edit -> wanted.add(edits.get(edit)));
    return text.hunks().taking(wanted::contains).bytes();
  }
}
