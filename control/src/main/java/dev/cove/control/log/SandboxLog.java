package dev.cove.control.log;

import dev.cove.control.log.LogLine.Piece;
import dev.cove.control.log.LogLine.Stream;
import dev.cove.model.observe.Tally;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The log of one sandbox: two files, of which the older goes when the newer is full.
 *
 * <p>No file stays open, so that thousands of logs cost no descriptors. Lines are with the kernel
 * when {@link #append} returns: they survive the server, and not always the host. A disk that takes
 * no more costs lines, which are counted, and never the service that says them.
 */
public final class SandboxLog {
  private static final String SUFFIX = ".log";
  private static final int KEPT_FILES = 2;

  private final Path folder;
  private final long fileLimit;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();

  // Guarded by lock.
  private final List<Segment> segments = new ArrayList<>();
  private long last;
  private long missing;
  private boolean closed;

  /**
   * A file.
   *
   * @param first the id of its first line
   * @param size how much of it is lines
   */
  record Segment(Path path, long first, long size) {}

  SandboxLog(Path folder, long limit, Clock clock) throws IOException {
    this.folder = folder;
    this.fileLimit = limit / KEPT_FILES;
    this.clock = clock;
    if (Files.isDirectory(folder)) {
      open();
    }
  }

  private void open() throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(SUFFIX)).sorted().toList()) {
        String name = file.getFileName().toString();
        long first = Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
        segments.add(new Segment(file, first, Files.size(file)));
      }
    }
    if (!segments.isEmpty()) {
      Segment newest = segments.removeLast();
      last = newest.first() - 1;
      var scan = new SegmentScan(newest, 0);
      scan.run(line -> {
        last = line.id();
        return true;
      });
      // What a crash cut off is written over.
      segments.add(new Segment(newest.path(), newest.first(), scan.position()));
    }
  }

  /** Keeps lines, in that order. */
  public void append(List<Piece> pieces) {
    if (pieces.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      if (closed) {
        return;
      }
      try {
        write(pieces);
      } catch (IOException _) {
        missing += pieces.size();
        Tally.LOG_LINES_LOST.add(pieces.size());
      }
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void write(List<Piece> pieces) throws IOException {
    var bytes = new ByteArrayOutputStream();
    long id = last;
    var now = clock.instant();
    if (missing > 0) {
      String text = missing + " lines could not be written";
      bytes.writeBytes(
          new LogLine(++id, now, Piece.note(pieces.getFirst().service(), text)).encode());
    }
    for (Piece piece : pieces) {
      bytes.writeBytes(new LogLine(++id, now, piece).encode());
    }
    Segment current = segmentFor(bytes.size());
    try (FileChannel file =
        FileChannel.open(current.path(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes.toByteArray());
      long at = current.size();
      while (buffer.hasRemaining()) {
        at += file.write(buffer, at);
      }
      segments.set(segments.size() - 1, new Segment(current.path(), current.first(), at));
    }
    last = id;
    missing = 0;
  }

  private Segment segmentFor(int bytes) throws IOException {
    if (!segments.isEmpty()) {
      Segment newest = segments.getLast();
      if (newest.size() == 0 || newest.size() + bytes <= fileLimit) {
        return newest;
      }
    }
    while (segments.size() >= KEPT_FILES) {
      Files.deleteIfExists(segments.getFirst().path());
      segments.removeFirst();
    }
    if (segments.isEmpty()) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    var fresh = new Segment(folder.resolve("%019d%s".formatted(last + 1, SUFFIX)), last + 1, 0);
    Files.deleteIfExists(fresh.path());
    segments.add(fresh);
    return fresh;
  }

  /** The files as they are, the oldest first. */
  List<Segment> segments() {
    lock.lock();
    try {
      return List.copyOf(segments);
    } finally {
      lock.unlock();
    }
  }

  /** The id of the newest line; 0 before the first. */
  public long newest() {
    lock.lock();
    try {
      return last;
    } finally {
      lock.unlock();
    }
  }

  /** Returns when there is something after that line, the log has gone, or the time is over. */
  public void awaitAfter(long id, Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (last <= id && !closed && left > 0) {
        left = more.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  public boolean hasGone() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** How much of a process' stream is in here already. */
  public long endOf(String service, Stream stream, long process) throws IOException {
    var end = new long[1];
    for (Segment segment : segments()) {
      new SegmentScan(segment, 0)
          .run(line -> {
            Piece piece = line.piece();
            if (piece.process() == process
                && piece.stream() == stream
                && piece.service().equals(service)) {
              end[0] = Math.max(end[0], piece.end());
            }
            return true;
          });
    }
    return end[0];
  }

  /** Takes nothing more, and drops what there is. */
  void remove() throws IOException {
    lock.lock();
    try {
      closed = true;
      more.signalAll();
      segments.clear();
      removeFolder(folder);
    } finally {
      lock.unlock();
    }
  }

  static void removeFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }
}
