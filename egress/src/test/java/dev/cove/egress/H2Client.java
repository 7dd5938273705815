package dev.cove.egress;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.parser.Parser;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.RetainableByteBuffer;

/** A program that speaks HTTP/2 frame by frame, so that it can also speak it badly. */
final class H2Client implements AutoCloseable {
  /** What it heard. */
  record Heard(String what, int stream, Optional<MetaData> head, String data, boolean last) {}

  static final int WINDOW = 64 << 20;

  private final Socket socket;
  private final OutputStream out;
  private final Generator generator = new Generator(ByteBufferPool.NON_POOLING);
  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
  private final boolean widening;
  private boolean batching;
  private int next = 1;

  H2Client(Socket socket) throws IOException {
    this(socket, Map.of(SettingsFrame.INITIAL_WINDOW_SIZE, WINDOW), true);
  }

  H2Client(Socket socket, Map<Integer, Integer> settings, boolean widening) throws IOException {
    this.socket = socket;
    this.widening = widening;
    out = new BufferedOutputStream(socket.getOutputStream(), 256 << 10);
    raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    send(new SettingsFrame(settings, false));
    if (widening) {
      send(new WindowUpdateFrame(0, WINDOW));
    }
    Thread.ofVirtual().start(this::read);
  }

  private void read() {
    var parser = new Parser(ByteBufferPool.NON_POOLING, 1 << 20, RateControl.NO_RATE_CONTROL);
    parser.init(new Listening());
    byte[] buffer = new byte[64 << 10];
    try {
      for (int n; (n = socket.getInputStream().read(buffer)) >= 0; ) {
        parser.parse(ByteBuffer.wrap(buffer, 0, n));
      }
    } catch (IOException e) {
      // The end is heard of below.
    }
    heard.add(new Heard("end", 0, Optional.empty(), "", true));
  }

  private final class Listening implements Parser.Listener {
    @Override
    public void onHeaders(HeadersFrame frame) {
      heard.add(
          new Heard(
              "headers",
              frame.getStreamId(),
              Optional.of(frame.getMetaData()),
              "",
              frame.isEndStream()));
    }

    @Override
    public void onData(DataFrame frame) {
      String text = StandardCharsets.ISO_8859_1.decode(frame.getByteBuffer()).toString();
      heard.add(
          new Heard("data", frame.getStreamId(), Optional.empty(), text, frame.isEndStream()));
      if (widening && !text.isEmpty()) {
        try {
          send(new WindowUpdateFrame(0, text.length()));
          if (!frame.isEndStream()) {
            send(new WindowUpdateFrame(frame.getStreamId(), text.length()));
          }
        } catch (IOException e) {
          // The connection ends.
        }
      }
    }

    @Override
    public void onReset(ResetFrame frame) {
      heard.add(new Heard("reset", frame.getStreamId(), Optional.empty(), "", true));
    }

    @Override
    public void onGoAway(GoAwayFrame frame) {
      heard.add(new Heard("go away " + frame.getError(), 0, Optional.empty(), "", false));
    }
  }

  /** How large a head it can write; it takes as much memory for each. */
  void heads(int size) {
    generator.getHpackEncoder().setMaxHeaderListSize(size);
  }

  synchronized void raw(byte[] bytes) throws IOException {
    out.write(bytes);
    if (!batching) {
      out.flush();
    }
  }

  /** From here to its end everything goes out at once. */
  synchronized void batch(boolean begin) throws IOException {
    batching = begin;
    if (!begin) {
      out.flush();
    }
  }

  synchronized void send(Frame frame) throws IOException {
    var bytes = new RetainableByteBuffer.DynamicCapacity();
    try {
      if (frame instanceof DataFrame data) {
        generator.data(bytes, data, Math.max(1, data.remaining()));
      } else {
        generator.control(bytes, frame);
      }
    } catch (org.eclipse.jetty.http2.hpack.HpackException e) {
      throw new IOException(e);
    }
    raw(bytes.takeByteArray());
  }

  static MetaData.Request request(String method, String url, HttpFields fields) {
    return new MetaData.Request(method, HttpURI.from(url), HttpVersion.HTTP_2, fields);
  }

  int open(String method, String url, HttpFields fields, boolean last) throws IOException {
    int stream = next;
    next += 2;
    send(new HeadersFrame(stream, request(method, url, fields), null, last));
    return stream;
  }

  void data(int stream, byte[] bytes, boolean last) throws IOException {
    send(new DataFrame(stream, ByteBuffer.wrap(bytes), last));
  }

  Heard hear() throws InterruptedException {
    Heard one = heard.poll(15, TimeUnit.SECONDS);
    if (one == null) {
      throw new AssertionError("Nothing came");
    }
    return one;
  }

  /** The next of that kind on any stream, passing over others. */
  Heard hear(String what) throws InterruptedException {
    while (true) {
      Heard one = hear();
      if (one.what().startsWith(what)) {
        return one;
      }
      if (one.what().equals("end")) {
        throw new AssertionError("It ended before " + what);
      }
    }
  }

  /** All of an answer. */
  record Answer(int status, HttpFields fields, String body, HttpFields trailers) {}

  Answer answer(int stream) throws InterruptedException {
    int status = 0;
    HttpFields fields = HttpFields.EMPTY;
    HttpFields trailers = HttpFields.EMPTY;
    var body = new StringBuilder();
    while (true) {
      Heard one = hear();
      if (one.what().equals("end") || (one.what().equals("reset") && one.stream() == stream)) {
        return new Answer(-1, fields, body.toString(), trailers);
      }
      if (one.stream() != stream) {
        continue;
      }
      body.append(one.data());
      if (one.head().orElse(null) instanceof MetaData.Response head) {
        status = head.getStatus();
        fields = head.getHttpFields();
      } else if (one.head().isPresent()) {
        trailers = one.head().get().getHttpFields();
      }
      if (one.last()) {
        return new Answer(status, fields, body.toString(), trailers);
      }
    }
  }

  Answer call(String method, String url, List<String> fields, String body) throws Exception {
    HttpFields.Mutable all = HttpFields.build();
    for (String field : fields) {
      all.add(field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 2));
    }
    int stream = open(method, url, all, body.isEmpty());
    byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
    for (int at = 0; at < bytes.length; at += 16 << 10) {
      int end = Math.min(bytes.length, at + (16 << 10));
      data(stream, java.util.Arrays.copyOfRange(bytes, at, end), end == bytes.length);
    }
    return answer(stream);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
