package dev.cove.control.log;

import dev.cove.control.log.SandboxLog.Segment;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Reads a log page by page from where it stands. For one thread. */
public final class LogReader {
  /** A page ends when so much text is in it. */
  static final int PAGE_CHARACTERS = 256 * 1024;

  private static final int TRIES = 3;

  private final SandboxLog log;
  private final LogFilter filter;
  private long after;

  /** Where in which file the next line is, once that is known. */
  private long inFile;

  private long position;

  private LogReader(SandboxLog log, LogFilter filter, long after) {
    this.log = log;
    this.filter = filter;
    this.after = after;
  }

  /** Goes on after a line. */
  public static LogReader after(SandboxLog log, LogFilter filter, long id) {
    return new LogReader(log, filter, id);
  }

  /** Begins with the oldest that is there. */
  public static LogReader fromOldest(SandboxLog log, LogFilter filter) {
    List<Segment> segments = log.segments();
    return new LogReader(
        log, filter, segments.isEmpty() ? log.newest() : segments.getFirst().first() - 1);
  }

  /** Begins so many wanted lines before the end. */
  public static LogReader tail(SandboxLog log, LogFilter filter, int lines) throws IOException {
    LogReader whole = fromOldest(log, filter);
    if (lines == 0) {
      return new LogReader(log, filter, log.newest());
    }
    var ids = new ArrayDeque<Long>(lines);
    for (LogPage page = whole.next(lines); ; page = whole.next(lines)) {
      for (LogLine line : page.items()) {
        if (ids.size() == lines) {
          ids.removeFirst();
        }
        ids.addLast(line.id());
      }
      if (!page.more()) {
        break;
      }
    }
    return ids.isEmpty() ? whole : new LogReader(log, filter, ids.getFirst() - 1);
  }

  public long position() {
    return after;
  }

  /** The next lines, as far as there are any. */
  public LogPage next(int limit) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return read(limit);
      } catch (FileNotFoundException e) {
        if (attempt == TRIES) {
          throw e;
        }
        inFile = 0; // it made room for a newer one just now
      }
    }
  }

  private LogPage read(int limit) throws IOException {
    List<Segment> segments = log.segments();
    if (segments.isEmpty()) {
      return new LogPage(List.of(), after, false, false);
    }
    long oldest = segments.getFirst().first();
    // An id that was never given is of a log that is not there any more.
    boolean gap = after + 1 < oldest || after > log.newest();
    if (gap) {
      after = oldest - 1;
      inFile = 0;
    }
    var items = new ArrayList<LogLine>();
    var characters = new int[1];
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      boolean behind = i + 1 < segments.size() && segments.get(i + 1).first() <= after + 1;
      if (!behind && !readFrom(segment, items, characters, limit)) {
        break;
      }
    }
    return new LogPage(items, after, after < log.newest(), gap);
  }

  /** False when the page is full. */
  private boolean readFrom(Segment segment, List<LogLine> items, int[] characters, int limit)
      throws IOException {
    var scan = new SegmentScan(segment, inFile == segment.first() ? position : 0);
    var full = new boolean[1];
    scan.run(line -> {
      if (line.id() <= after) {
        return true;
      }
      after = line.id();
      if (filter.wants(line)) {
        items.add(line);
        characters[0] += line.piece().text().length();
      }
      full[0] = items.size() >= limit || characters[0] >= PAGE_CHARACTERS;
      return !full[0];
    });
    inFile = segment.first();
    position = scan.position();
    return !full[0];
  }
}
