package dev.cove.egress.log;

import dev.cove.model.network.Destination;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.Verdict;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** The last decisions. Alike ones in quick succession share a line, or a loop would fill it. */
public final class DecisionLog {
  public static final int CAPACITY = 1_000;

  private static final Duration ALIKE_WITHIN = Duration.ofSeconds(1);

  /** How far back a line is looked for that says the same. */
  private static final int LOOK_BACK = 16;

  private final Deque<LogLine> lines = new ArrayDeque<>();

  /**
   * @param dialled the real address; empty when none was dialled
   */
  public synchronized LogLine add(Destination destination, Verdict verdict, String dialled) {
    Iterator<LogLine> newest = lines.descendingIterator();
    for (int i = 0; i < LOOK_BACK && newest.hasNext(); i++) {
      LogLine line = newest.next();
      if (!line.isYoungerThan(ALIKE_WITHIN)) {
        break;
      }
      if (line.says(destination, verdict, dialled)) {
        line.again();
        return line;
      }
    }
    var line = new LogLine(destination, verdict, dialled);
    if (lines.size() == CAPACITY) {
      lines.removeFirst();
    }
    lines.addLast(line);
    return line;
  }

  /** Oldest first. */
  public synchronized List<LoggedDecision> now() {
    return lines.stream().map(LogLine::now).toList();
  }
}
