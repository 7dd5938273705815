package dev.cove.control.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;

/** Reads the lines of one file, from some place in it to the end that is known. */
final class SegmentScan {
  private static final int CHUNK = 64 * 1024;

  private final SandboxLog.Segment segment;
  private long position;

  /** Hears each line; false ends the scan after it. */
  @FunctionalInterface
  interface Reader {
    boolean take(LogLine line);
  }

  SegmentScan(SandboxLog.Segment segment, long from) {
    this.segment = segment;
    this.position = from;
  }

  /** Behind the last line that was read. */
  long position() {
    return position;
  }

  /** What is no line of ours is passed over. */
  void run(Reader reader) throws IOException {
    byte[] buffer = new byte[CHUNK];
    int held = 0;
    try (var file = new RandomAccessFile(segment.path().toFile(), "r")) {
      long at = position;
      while (at < segment.size()) {
        if (held == buffer.length) {
          buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        file.seek(at);
        int wanted = (int) Math.min(buffer.length - held, segment.size() - at);
        int read = file.read(buffer, held, wanted);
        if (read < 0) {
          return;
        }
        at += read;
        held += read;
        int start = 0;
        for (int i = held - read; i < held; i++) {
          if (buffer[i] == '\n') {
            boolean goOn = LogLine.decode(buffer, start, i).map(reader::take).orElse(true);
            position += i + 1 - start;
            start = i + 1;
            if (!goOn) {
              return;
            }
          }
        }
        System.arraycopy(buffer, start, buffer, 0, held - start);
        held -= start;
      }
    }
  }
}
