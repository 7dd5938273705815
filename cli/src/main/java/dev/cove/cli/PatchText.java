package dev.cove.cli;

import dev.cove.review.text.Lines;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A patch as it is shown: with colours, with its hunks numbered, and with nothing unseen in it. */
final class PatchText {
  private static final Pattern HUNK =
      Pattern.compile("@@ -[0-9]+(?:,([0-9]+))? \\+[0-9]+(?:,([0-9]+))? @@.*\\n?");

  private final boolean colours;
  private final StringBuilder out = new StringBuilder();
  private int hunks;
  private int before;
  private int after;
  private int added;
  private int removed;

  PatchText(boolean colours) {
    this.colours = colours;
  }

  String show(byte[] patch) {
    for (String line : Lines.of(patch).all()) {
      show(line);
    }
    return out.toString();
  }

  int added() {
    return added;
  }

  int removed() {
    return removed;
  }

  private void show(String line) {
    String text = Escapes.visibleLine(line);
    if (line.startsWith("\\")) {
      print(Paint.DIM, text);
    } else if (before > 0 || after > 0) {
      inHunk(line.charAt(0), text);
    } else {
      Matcher hunk = HUNK.matcher(line);
      if (hunk.matches()) {
        before = count(hunk.group(1));
        after = count(hunk.group(2));
        hunks++;
        print(Paint.CYAN, text + " hunk " + hunks);
      } else {
        hunks = line.startsWith("diff --git ") ? 0 : hunks;
        print(Paint.BOLD, text);
      }
    }
  }

  private static int count(@Nullable String group) {
    return group == null ? 1 : Integer.parseInt(group);
  }

  private void inHunk(char sign, String text) {
    switch (sign) {
      case '+' -> {
        after--;
        added++;
        print(Paint.GREEN, text);
      }
      case '-' -> {
        before--;
        removed++;
        print(Paint.RED, text);
      }
      default -> {
        before--;
        after--;
        out.append(text).append('\n');
      }
    }
  }

  private void print(Paint paint, String text) {
    out.append(paint.on(text, colours)).append('\n');
  }
}
