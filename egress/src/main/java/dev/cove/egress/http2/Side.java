package dev.cove.egress.http2;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.hpack.HpackException;
import org.eclipse.jetty.http2.parser.Parser;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/**
 * One of the two connections. Its state belongs to the lock of {@link Exchanges}; only reading and
 * writing the socket happen outside of it, each on a thread of its own, so that neither side waits
 * for the other.
 */
final class Side {
  static final int STREAM_WINDOW = 256 << 10;
  static final int CONNECTION_WINDOW = 4 << 20;
  static final int DEFAULT_WINDOW = 65_535;

  /** So much may wait to be written before no more data is taken for it. */
  private static final int FULL = 256 << 10;

  /** So much can wait only when somebody makes us answer and does not read. */
  private static final int FLOODED = 2 << 20;

  private static final int MAX_FRAME = 16 << 10;
  private static final int READ = 16 << 10;
  private static final int TABLE = 4_096;

  /** What a field takes besides its name and value, and more than enough for what is no field. */
  private static final int FIELD = 64;

  private static final int REST_OF_A_HEAD = 1 << 10;

  private final Object lock;
  private final Socket socket;
  private final Generator generator = new Generator(ByteBufferPool.NON_POOLING, false, 0);
  private final Deque<byte[]> out = new ArrayDeque<>();
  private int waiting;
  private boolean ended;
  private long window = DEFAULT_WINDOW;
  private int initialWindow = DEFAULT_WINDOW;
  private int maxFrame = MAX_FRAME;
  private int granted = CONNECTION_WINDOW;
  private int taken;

  Side(Object lock, Socket socket) {
    this.lock = lock;
    this.socket = socket;
  }

  /** Until the connection ends; the parser's listener takes the lock. */
  void read(Parser parser) throws IOException {
    byte[] buffer = new byte[READ];
    for (int n; (n = socket.getInputStream().read(buffer)) >= 0; ) {
      ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, n);
      synchronized (lock) {
        while (bytes.hasRemaining()) {
          parser.parse(bytes);
          if (ended) {
            return;
          }
        }
      }
    }
  }

  /**
   * Until the connection is to end, and has got all that was written for it.
   *
   * @param written is called with the lock after something was
   */
  void writeAndClose(Runnable written) throws IOException, InterruptedException {
    try (socket) {
      write(written);
    }
  }

  private void write(Runnable written) throws IOException, InterruptedException {
    OutputStream to = socket.getOutputStream();
    while (true) {
      byte[] bytes;
      synchronized (lock) {
        while (out.isEmpty() && !ended) {
          lock.wait();
        }
        if (out.isEmpty()) {
          return;
        }
        bytes = takeAll();
      }
      to.write(bytes);
      synchronized (lock) {
        written.run();
      }
    }
  }

  private byte[] takeAll() {
    if (out.size() == 1) {
      waiting = 0;
      return out.removeFirst();
    }
    byte[] all = new byte[waiting];
    int at = 0;
    for (byte[] each : out) {
      System.arraycopy(each, 0, all, at, each.length);
      at += each.length;
    }
    out.clear();
    waiting = 0;
    return all;
  }

  private void queue(byte[] bytes) throws IOException {
    if (ended) {
      return;
    }
    out.add(bytes);
    waiting += bytes.length;
    if (waiting > FLOODED) {
      throw new IOException("Nobody reads the answers");
    }
    lock.notifyAll();
  }

  boolean isFull() {
    return waiting >= FULL;
  }

  /** What was queued is still written. */
  void end() {
    ended = true;
    lock.notifyAll();
  }

  void sendPreface() throws IOException {
    queue("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  void send(Frame frame) throws IOException {
    var bytes = new RetainableByteBuffer.DynamicCapacity();
    if (frame instanceof HeadersFrame head) {
      // The encoder takes this much memory each time.
      generator.getHpackEncoder().setMaxHeaderListSize(size(head.getMetaData()));
    }
    try {
      generator.control(bytes, frame);
    } catch (HpackException e) {
      throw new IOException("Fields that can not be written", e);
    }
    queue(bytes.takeByteArray());
  }

  private static int size(MetaData head) {
    int size = REST_OF_A_HEAD;
    if (head instanceof MetaData.Request request) {
      size += request.getHttpURI().asString().length();
    }
    for (HttpField field : head.getHttpFields()) {
      size += field.getName().length() + field.getValue().length() + FIELD;
    }
    return size;
  }

  void sendSettings(Map<Integer, Integer> settings) throws IOException {
    send(new SettingsFrame(settings, false));
    send(new WindowUpdateFrame(0, CONNECTION_WINDOW - DEFAULT_WINDOW));
  }

  void reset(int stream, ErrorCode why) throws IOException {
    send(new ResetFrame(stream, why.code));
  }

  void goAway(int lastStream, int error) throws IOException {
    send(new GoAwayFrame(lastStream, error, new byte[0]));
  }

  /** The most that may be sent to a stream with such a window now. */
  int room(long streamWindow) {
    return (int) Math.max(0, Math.min(Math.min(window, streamWindow), maxFrame));
  }

  void sendData(int stream, byte[] bytes, int offset, int length, boolean last) throws IOException {
    window -= length;
    var frame = new DataFrame(stream, ByteBuffer.wrap(bytes, offset, length), last);
    var buffer = new RetainableByteBuffer.DynamicCapacity();
    generator.data(buffer, frame, Math.max(length, 1));
    queue(buffer.takeByteArray());
  }

  /**
   * Data came, with its padding.
   *
   * @throws IOException more than its sender was given leave for
   */
  void came(int bytes) throws IOException {
    granted -= bytes;
    if (granted < 0) {
      throw new IOException("More than the window of the connection");
    }
  }

  /** Gives the sender leave for as many bytes on the connection as were used of its data. */
  void used(int bytes) throws IOException {
    taken += bytes;
    if (taken >= CONNECTION_WINDOW / 4) {
      send(new WindowUpdateFrame(0, taken));
      granted += taken;
      taken = 0;
    }
  }

  /** More room on the connection as a whole. */
  void widen(int by) throws IOException {
    window += by;
    if (window > Integer.MAX_VALUE) {
      throw new IOException("A window that is too large");
    }
  }

  int initialWindow() {
    return initialWindow;
  }

  /**
   * Holds to what the other end wants.
   *
   * @return by how much the windows of its streams change
   */
  int obey(Map<Integer, Integer> settings) throws IOException {
    Integer table = settings.get(SettingsFrame.HEADER_TABLE_SIZE);
    if (table != null) {
      generator.getHpackEncoder().setMaxTableCapacity(table);
      generator.getHpackEncoder().setTableCapacity(Math.min(table, TABLE));
    }
    Integer frame = settings.get(SettingsFrame.MAX_FRAME_SIZE);
    if (frame != null) {
      generator.setMaxFrameSize(Math.min(frame, MAX_FRAME));
      maxFrame = Math.min(frame, MAX_FRAME);
    }
    Integer initial = settings.get(SettingsFrame.INITIAL_WINDOW_SIZE);
    if (initial == null) {
      return 0;
    }
    if (initial < 0) {
      throw new IOException("A window that is too large");
    }
    int change = initial - initialWindow;
    initialWindow = initial;
    return change;
  }
}
