package dev.cove.egress.http2;

import dev.cove.egress.http.Filter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;

/**
 * The body of a message on its way from one side to the other. What waits here is bounded by the
 * window that its sender was given, and he gets more when it has gone on. What a filter makes of it
 * can be much longer, so the filter gets little at a time, and nothing while something waits.
 */
final class Flow {
  private static final int FILTERED_AT_ONCE = 1 << 10;
  private static final int ENOUGH = 8 << 10;
  private static final int GIVEN_BACK_AT = Side.STREAM_WINDOW / 4;

  private final Side from;
  private final Side to;
  private final Deque<byte[]> came = new ArrayDeque<>();
  private int cameAt;
  private Optional<Filter> filter = Optional.empty();
  private byte[] ready = new byte[0];
  private int readyAt;
  private Optional<MetaData> trailers = Optional.empty();
  private int fromStream;
  private int toStream;
  private long window;
  private int granted = Side.STREAM_WINDOW;
  private int used;
  private boolean open;
  private boolean last;
  private boolean flushed;
  private boolean done;

  Flow(Side from, Side to) {
    this.from = from;
    this.to = to;
  }

  /** From when on data may follow what was sent before it. */
  void open(int source, int target) {
    fromStream = source;
    toStream = target;
    window = to.initialWindow();
    open = true;
  }

  void filter(Filter through) {
    filter = Optional.of(through);
  }

  /**
   * @throws IOException more than its sender was given leave for
   */
  void came(byte[] bytes) throws IOException {
    granted -= bytes.length;
    if (granted < 0) {
      throw new IOException("More than the window of a stream");
    }
    if (bytes.length > 0) {
      came.add(bytes);
    }
  }

  /** All of it at once, for which its sender has got leave already. */
  void whole(byte[] body) {
    ready = body;
    readyAt = 0;
    last = true;
  }

  void ended(Optional<MetaData> with) {
    last = true;
    trailers = with;
  }

  boolean hasEnded() {
    return last;
  }

  /** Its end was sent on, or nobody wants it. */
  boolean isDone() {
    return done;
  }

  void done() {
    last = true;
    done = true;
  }

  /**
   * @throws IOException it becomes too large
   */
  void widen(int by) throws IOException {
    window += by;
    if (window > Integer.MAX_VALUE) {
      throw new IOException("A window that is too large");
    }
  }

  /** Sends on what can be sent now. */
  void drain() throws IOException {
    while (open && !done && !to.isFull()) {
      if (readyAt < ready.length) {
        int now = Math.min(to.room(window), ready.length - readyAt);
        if (now == 0) {
          return;
        }
        send(now);
      } else if (!came.isEmpty()) {
        next();
      } else if (last && !flushed) {
        flush();
      } else if (last) {
        sendEnd();
      } else {
        return;
      }
    }
  }

  private void next() throws IOException {
    readyAt = 0;
    if (filter.isEmpty()) {
      ready = came.removeFirst();
      giveBack(ready.length);
      return;
    }
    var made = new ByteArrayOutputStream();
    while (!came.isEmpty() && made.size() < ENOUGH) {
      byte[] bytes = came.getFirst();
      int taken = Math.min(FILTERED_AT_ONCE, bytes.length - cameAt);
      filter.get().take(bytes, cameAt, taken, made::write);
      cameAt += taken;
      if (cameAt == bytes.length) {
        came.removeFirst();
        cameAt = 0;
        giveBack(bytes.length);
      }
    }
    ready = made.toByteArray();
  }

  /** Leave for as many bytes as were used. */
  private void giveBack(int bytes) throws IOException {
    from.used(bytes);
    used += bytes;
    if (used >= GIVEN_BACK_AT && !last) {
      from.send(new WindowUpdateFrame(fromStream, used));
      granted += used;
      used = 0;
    }
  }

  private void flush() throws IOException {
    flushed = true;
    if (filter.isPresent()) {
      var made = new ByteArrayOutputStream();
      filter.get().end(made::write);
      ready = made.toByteArray();
      readyAt = 0;
    }
  }

  private void send(int now) throws IOException {
    boolean rest = readyAt + now == ready.length && came.isEmpty() && last;
    boolean end = rest && (flushed || filter.isEmpty()) && trailers.isEmpty();
    to.sendData(toStream, ready, readyAt, now, end);
    window -= now;
    readyAt += now;
    done = end;
  }

  private void sendEnd() throws IOException {
    if (trailers.isPresent()) {
      to.send(new HeadersFrame(toStream, trailers.get(), null, true));
    } else {
      to.sendData(toStream, new byte[0], 0, 0, true);
    }
    done = true;
  }

  /** Nobody wants the rest; its bytes count as used. */
  void drop() throws IOException {
    done = true;
    for (byte[] bytes : came) {
      from.used(bytes.length);
    }
    came.clear();
  }
}
