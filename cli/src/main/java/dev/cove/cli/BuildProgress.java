package dev.cove.cli;

import dev.cove.sdk.BuildListener;
import java.util.regex.Pattern;

/** Tells on stderr how a build goes: a line for each step, and below it what its command prints. */
final class BuildProgress implements BuildListener, AutoCloseable {
  private static final String INDENT = "    ";
  private static final int MAX_LINE = 8 * 1024;

  /** Colours and movements of the cursor. */
  private static final Pattern ESCAPE = Pattern.compile("\\u001b\\[[0-9;?]*[ -/]*[@-~]");

  private final Session session;
  private final StringBuilder line = new StringBuilder();

  BuildProgress(Session session) {
    this.session = session;
  }

  @Override
  public void step(Step step) {
    endLine();
    String text = step.text().lines().findFirst().orElse("");
    session.note(
        "[%d/%d] %s%s"
            .formatted(
                step.number(),
                step.of(),
                Table.printable(text.replace('\t', ' ')),
                step.cached() ? " (cached)" : ""));
  }

  @Override
  public void output(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n' || line.length() == MAX_LINE) {
        printLine();
      }
      if (c != '\n') {
        line.append(c);
      }
    }
  }

  /** Prints what came without a line's end. */
  @Override
  public void close() {
    endLine();
  }

  private void endLine() {
    if (!line.isEmpty()) {
      printLine();
    }
  }

  private void printLine() {
    String text = ESCAPE.matcher(line.toString().stripTrailing()).replaceAll("");
    line.setLength(0);
    // A bar that is drawn over and over: what it came to is enough.
    String last = text.substring(text.lastIndexOf('\r') + 1);
    session.note((INDENT + Table.printable(last.replace("\t", INDENT))).stripTrailing());
  }
}
