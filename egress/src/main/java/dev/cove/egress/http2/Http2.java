package dev.cove.egress.http2;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Edits;
import dev.cove.egress.http.Fields;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.egress.limit.RateLimit;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.PushPromiseFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.http2.parser.Parser;
import org.eclipse.jetty.http2.parser.ServerParser;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RateControl;

/**
 * HTTP/2 between a sandbox and the world: each stream of the client becomes one of the server, and
 * nothing else of one connection reaches the other. Settings, windows, pings and header tables are
 * between the gateway and each of them.
 *
 * <p>One lock guards all of it; it is never held while a socket is read or written.
 */
public final class Http2 {
  /** Says whether requests may go out, and what is changed in them. */
  public interface Requests {
    Destination destination();

    /**
     * @param sameHost whether every place of it that names a host names the destination
     */
    Optional<Edits> check(Request request, boolean sameHost, String target, List<Field> fields)
        throws RefusedRequestException;

    /**
     * @throws IOException there may be no more of them
     */
    void sent(long bytes) throws IOException;

    /**
     * @throws IOException there may be no more of them
     */
    void received(long bytes) throws IOException;

    /** Ends everything at once. */
    void cut();
  }

  private static final int MAX_STREAMS = 128;
  private static final int MAX_HEAD = 64 << 10;

  /**
   * Frames that cost us something and the sender nothing: pings, settings, empty ones. Who measures
   * a short way with pings sends many.
   */
  private static final int IDLE_FRAMES = 2_000;

  /** Streams that the client gives up, or that are turned away: each costs the server something. */
  private static final int GIVEN_UP = 100;

  /** After a pause there may be so many times as many as in a second. */
  private static final int AT_ONCE = 4;

  private final Requests requests;
  private final Side client;
  private final Optional<Side> server;
  private final Optional<Page> refusal;
  private final Map<Integer, Exchange> byClient = new HashMap<>();
  private final Map<Integer, Exchange> byServer = new HashMap<>();
  private final RateLimit givenUp = limit(GIVEN_UP);
  private int lastClientStream;
  private int nextServerStream = 1;
  private int maxStreams = MAX_STREAMS;
  private boolean leaving;

  /**
   * @param refusal what every request is answered with where there is no server
   */
  public Http2(Socket client, Optional<Socket> server, Optional<Page> refusal, Requests requests) {
    this.requests = requests;
    this.client = new Side(this, client);
    this.server = server.map(socket -> new Side(this, socket));
    this.refusal = refusal;
  }

  /** Returns when the connection has ended. */
  public void run() throws IOException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    synchronized (this) {
      client.sendSettings(
          Map.of(
              SettingsFrame.MAX_CONCURRENT_STREAMS,
              MAX_STREAMS,
              SettingsFrame.INITIAL_WINDOW_SIZE,
              Side.STREAM_WINDOW,
              SettingsFrame.MAX_HEADER_LIST_SIZE,
              MAX_HEAD));
      if (server.isPresent()) {
        server.get().sendPreface();
        server
            .get()
            .sendSettings(
                Map.of(
                    SettingsFrame.ENABLE_PUSH,
                    0,
                    SettingsFrame.INITIAL_WINDOW_SIZE,
                    Side.STREAM_WINDOW,
                    SettingsFrame.MAX_HEADER_LIST_SIZE,
                    MAX_HEAD));
      }
    }
    threads.add(start(() -> client.writeAndClose(this::drainDown)));
    server.ifPresent(side -> {
      threads.add(start(() -> side.writeAndClose(this::drainUp)));
      threads.add(start(() -> readServer(side)));
    });
    try {
      readClient();
    } finally {
      endAll();
      for (Thread thread : threads) {
        thread.join(Duration.ofSeconds(1));
      }
      requests.cut();
    }
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private Thread start(Work work) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            work.run();
          } catch (IOException | RuntimeException e) {
            requests.cut();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          endAll();
        });
  }

  private synchronized void endAll() {
    client.end();
    server.ifPresent(Side::end);
  }

  private void readClient() throws IOException {
    var parser = new ServerParser(ByteBufferPool.NON_POOLING, MAX_HEAD, idleFrames());
    parser.init(new FromClient());
    guarded(() -> client.read(parser));
  }

  private void readServer(Side side) throws IOException {
    var parser = new Parser(ByteBufferPool.NON_POOLING, MAX_HEAD, idleFrames());
    parser.init(new FromServer(side));
    guarded(() -> side.read(parser));
    synchronized (this) {
      for (Exchange exchange : List.copyOf(byServer.values())) {
        client.reset(exchange.clientStream, ErrorCode.INTERNAL_ERROR);
        remove(exchange);
      }
      client.goAway(lastClientStream, ErrorCode.NO_ERROR.code);
      client.end();
    }
  }

  private static RateLimit limit(int perSecond) {
    return new RateLimit(perSecond, AT_ONCE * perSecond);
  }

  private static RateControl idleFrames() {
    RateLimit limit = limit(IDLE_FRAMES);
    return _ -> limit.take();
  }

  private interface Reading {
    void run() throws IOException;
  }

  /** What listeners throw comes through the parser wrapped. */
  private static void guarded(Reading reading) throws IOException {
    try {
      reading.run();
    } catch (BrokenException e) {
      throw e.why();
    }
  }

  /** Carries a failure through Jetty's parser, which knows no checked ones. */
  private static final class BrokenException extends RuntimeException {
    private final transient IOException why;

    BrokenException(IOException why) {
      super(why);
      this.why = why;
    }

    IOException why() {
      return why;
    }
  }

  private static void attempt(Reading reading) {
    try {
      reading.run();
    } catch (IOException e) {
      throw new BrokenException(e);
    }
  }

  private void drainDown() {
    attempt(() -> {
      for (Exchange exchange : List.copyOf(byClient.values())) {
        exchange.down.drain();
        removeIfDone(exchange);
      }
    });
  }

  private void drainUp() {
    attempt(() -> {
      for (Exchange exchange : List.copyOf(byServer.values())) {
        exchange.up.drain();
        removeIfDone(exchange);
      }
    });
  }

  private void removeIfDone(Exchange exchange) throws IOException {
    if (exchange.up.isDone() && exchange.down.isDone()) {
      if (exchange.cutShort) {
        client.reset(exchange.clientStream, ErrorCode.NO_ERROR);
      }
      remove(exchange);
    }
  }

  private void remove(Exchange exchange) throws IOException {
    exchange.up.drop();
    exchange.down.drop();
    byClient.remove(exchange.clientStream);
    byServer.remove(exchange.serverStream);
    endIfIdle();
  }

  private void endIfIdle() {
    if (leaving && byClient.isEmpty()) {
      endAll();
    }
  }

  private void fail(int error) throws IOException {
    client.goAway(lastClientStream, error);
    if (server.isPresent()) {
      server.get().goAway(0, ErrorCode.NO_ERROR.code);
    }
    endAll();
  }

  /** Ends one exchange on both sides. */
  private void abort(Exchange exchange, ErrorCode why) throws IOException {
    client.reset(exchange.clientStream, why);
    if (exchange.serverStream > 0 && server.isPresent()) {
      server.get().reset(exchange.serverStream, ErrorCode.CANCEL_STREAM_ERROR);
    }
    remove(exchange);
  }

  /** Each costs us an answer, so there is a limit to them as well. */
  private void turnAway(int stream, ErrorCode why) throws IOException {
    client.reset(stream, why);
    countGivenUp();
  }

  private void countGivenUp() throws IOException {
    if (!givenUp.take()) {
      fail(ErrorCode.ENHANCE_YOUR_CALM_ERROR.code);
    }
  }

  /** The gateway's own answer. */
  private void show(Page page, int stream, boolean last) throws IOException {
    byte[] text = page.text().getBytes(StandardCharsets.UTF_8);
    boolean fits = client.room(client.initialWindow()) >= text.length;
    var fields = new ArrayList<Field>();
    fields.add(new Field("content-type", "text/plain; charset=utf-8"));
    fields.add(new Field("cache-control", "no-store"));
    if (!page.denied().isEmpty()) {
      fields.add(new Field("x-cove-denied", page.denied()));
    }
    client.send(new HeadersFrame(stream, Messages.answer(page.status(), fields), null, !fits));
    if (fits) {
      client.sendData(stream, text, 0, text.length, true);
    }
    if (!last) {
      client.reset(stream, ErrorCode.NO_ERROR);
    }
  }

  private void open(int stream, MetaData.Request head, boolean last) throws IOException {
    if (stream <= lastClientStream || stream % 2 == 0) {
      fail(ErrorCode.PROTOCOL_ERROR.code);
      return;
    }
    lastClientStream = stream;
    if (leaving || byClient.size() >= maxStreams) {
      turnAway(stream, ErrorCode.REFUSED_STREAM_ERROR);
      return;
    }
    try {
      List<Field> fields = Messages.fields(head.getHttpFields());
      Optional<Edits> edits =
          requests.check(
              Messages.request(head),
              Messages.isFor(head, fields, requests.destination()),
              Messages.target(head),
              fields);
      if (refusal.isPresent()) {
        throw new RefusedRequestException(refusal.get());
      }
      Side upstream = server.orElseThrow();
      var exchange =
          new Exchange(stream, head, edits, new Flow(client, upstream), new Flow(upstream, client));
      byClient.put(stream, exchange);
      if (!exchange.fits(0, last)) {
        abort(exchange, ErrorCode.PROTOCOL_ERROR);
      } else if (last || !exchange.wantsWhole()) {
        sendUp(exchange, edits.map(Edits::fields).orElse(fields), last);
      }
    } catch (BadMessageException e) {
      turnAway(stream, ErrorCode.PROTOCOL_ERROR);
    } catch (RefusedRequestException e) {
      show(e.page(), stream, last);
    }
  }

  private void sendUp(Exchange exchange, List<Field> fields, boolean last) throws IOException {
    exchange.serverStream = nextServerStream;
    nextServerStream += 2;
    byServer.put(exchange.serverStream, exchange);
    String target =
        exchange.edits.map(Edits::target).orElseGet(() -> Messages.target(exchange.request));
    requests.sent(Messages.size(target, fields));
    MetaData.Request head = Messages.changed(exchange.request, target, fields);
    server.orElseThrow().send(new HeadersFrame(exchange.serverStream, head, null, last));
    exchange.up.open(exchange.clientStream, exchange.serverStream);
    if (last) {
      exchange.up.done();
    }
  }

  /** A request whose body is changed goes out when all of it is there. */
  private void collect(Exchange exchange, byte[] bytes, boolean last) throws IOException {
    client.used(bytes.length);
    if (exchange.whole.size() + bytes.length > Edits.MAX_BODY) {
      show(Page.tooLarge(Edits.MAX_BODY), exchange.clientStream, last);
      remove(exchange);
      return;
    }
    exchange.whole.writeBytes(bytes);
    if (!last) {
      if (bytes.length > 0) {
        client.send(new WindowUpdateFrame(exchange.clientStream, bytes.length));
      }
      return;
    }
    Edits edits = exchange.edits.orElseThrow();
    byte[] body = edits.body(exchange.whole.toByteArray());
    Fields fields =
        Fields.of(edits.fields())
            .without(Set.of("content-length", "expect", "trailer"))
            .with("content-length", Integer.toString(body.length));
    requests.sent(body.length);
    sendUp(exchange, fields.all(), false);
    exchange.up.whole(body);
    exchange.up.drain();
  }

  private void answer(Exchange exchange, MetaData.Response head, boolean last) throws IOException {
    int status = head.getStatus();
    boolean interim = status < 200;
    if (exchange.answered || status == 101 || (interim && last)) {
      abort(exchange, ErrorCode.PROTOCOL_ERROR);
      return;
    }
    List<Field> fields = Messages.fields(head.getHttpFields());
    Optional<Edits> edits = exchange.edits.filter(Edits::changesAnswers);
    if (edits.isPresent()) {
      if (!last && !interim) {
        exchange.down.filter(edits.get().answer(status, fields));
        fields = Fields.of(fields).without(Set.of("content-length", "content-encoding")).all();
      }
      fields = edits.get().answered(fields);
    }
    requests.received(Messages.size("", fields));
    client.send(
        new HeadersFrame(exchange.clientStream, Messages.answer(status, fields), null, last));
    if (!interim) {
      exchange.answered = true;
      exchange.down.open(exchange.serverStream, exchange.clientStream);
      if (last) {
        exchange.down.done();
        removeIfDone(exchange);
      }
    }
  }

  private static byte[] bytes(DataFrame frame) {
    byte[] bytes = new byte[frame.getByteBuffer().remaining()];
    frame.getByteBuffer().get(bytes);
    return bytes;
  }

  /** What both sides say in the same way. */
  private abstract class Listener implements ServerParser.Listener {
    abstract Side side();

    abstract Optional<Exchange> find(int stream);

    /** The way to this side. */
    abstract Flow towards(Exchange exchange);

    abstract void drainAll() throws IOException;

    @Override
    public void onPreface() {}

    @Override
    public void onSettings(SettingsFrame frame) {
      attempt(() -> {
        if (frame.isReply()) {
          return;
        }
        int change = side().obey(frame.getSettings());
        for (Exchange exchange : byClient.values()) {
          towards(exchange).widen(change);
        }
        side().send(new SettingsFrame(Map.of(), true));
        drainAll();
      });
    }

    @Override
    public void onPing(PingFrame frame) {
      attempt(() -> {
        if (!frame.isReply()) {
          side().send(new PingFrame(frame.getPayload(), true));
        }
      });
    }

    @Override
    public void onWindowUpdate(WindowUpdateFrame frame) {
      attempt(() -> {
        if (frame.getStreamId() == 0) {
          side().widen(frame.getWindowDelta());
          drainAll();
          return;
        }
        Optional<Exchange> exchange = find(frame.getStreamId());
        if (exchange.isPresent()) {
          towards(exchange.get()).widen(frame.getWindowDelta());
          towards(exchange.get()).drain();
          removeIfDone(exchange.get());
        }
      });
    }

    @Override
    public void onConnectionFailure(int error, String reason) {
      attempt(() -> fail(error));
    }
  }

  private final class FromClient extends Listener {
    @Override
    Side side() {
      return client;
    }

    @Override
    Optional<Exchange> find(int stream) {
      return Optional.ofNullable(byClient.get(stream));
    }

    @Override
    Flow towards(Exchange exchange) {
      return exchange.down;
    }

    @Override
    void drainAll() {
      drainDown();
    }

    @Override
    public void onHeaders(HeadersFrame frame) {
      attempt(() -> {
        int stream = frame.getStreamId();
        Optional<Exchange> exchange = find(stream);
        if (exchange.isEmpty() && frame.getMetaData() instanceof MetaData.Request head) {
          open(stream, head, frame.isEndStream());
        } else if (exchange.isPresent()) {
          trail(exchange.get(), frame);
        }
      });
    }

    private void trail(Exchange exchange, HeadersFrame frame) throws IOException {
      boolean right =
          !frame.getMetaData().isRequest()
              && frame.isEndStream()
              && !exchange.up.hasEnded()
              && exchange.fits(0, true);
      if (!right) {
        abort(exchange, ErrorCode.PROTOCOL_ERROR);
      } else if (exchange.serverStream == 0) {
        collect(exchange, new byte[0], true);
      } else {
        try {
          List<Field> fields = Messages.fields(frame.getMetaData().getHttpFields());
          exchange.up.ended(Optional.of(Messages.trailers(fields)));
          exchange.up.drain();
          removeIfDone(exchange);
        } catch (BadMessageException e) {
          abort(exchange, ErrorCode.PROTOCOL_ERROR);
        }
      }
    }

    @Override
    public void onData(DataFrame frame) {
      attempt(() -> {
        client.came(frame.flowControlLength());
        client.used(frame.padding());
        byte[] bytes = bytes(frame);
        Optional<Exchange> found = find(frame.getStreamId());
        if (found.isEmpty()) {
          client.used(bytes.length);
          if (frame.getStreamId() > lastClientStream) {
            fail(ErrorCode.PROTOCOL_ERROR.code);
          }
          return;
        }
        Exchange exchange = found.get();
        boolean last = frame.isEndStream();
        if (exchange.up.hasEnded() || !exchange.fits(bytes.length, last)) {
          client.used(bytes.length);
          if (!exchange.cutShort) {
            abort(exchange, ErrorCode.PROTOCOL_ERROR);
          }
        } else if (exchange.serverStream == 0) {
          collect(exchange, bytes, last);
        } else {
          requests.sent(bytes.length);
          exchange.up.came(bytes);
          if (last) {
            exchange.up.ended(Optional.empty());
          }
          exchange.up.drain();
          removeIfDone(exchange);
        }
      });
    }

    @Override
    public void onReset(ResetFrame frame) {
      attempt(() -> {
        Optional<Exchange> exchange = find(frame.getStreamId());
        if (exchange.isPresent()) {
          if (exchange.get().serverStream > 0) {
            server
                .orElseThrow()
                .send(new ResetFrame(exchange.get().serverStream, frame.getError()));
          }
          remove(exchange.get());
          countGivenUp();
        } else if (frame.getStreamId() > lastClientStream) {
          fail(ErrorCode.PROTOCOL_ERROR.code);
        }
      });
    }

    @Override
    public void onGoAway(GoAwayFrame frame) {
      leaving = true;
      endIfIdle();
    }

    @Override
    public void onStreamFailure(int stream, int error, String reason) {
      attempt(() -> {
        lastClientStream = Math.max(lastClientStream, stream);
        Optional<Exchange> exchange = find(stream);
        if (exchange.isPresent()) {
          abort(exchange.get(), ErrorCode.PROTOCOL_ERROR);
        } else {
          turnAway(stream, ErrorCode.PROTOCOL_ERROR);
        }
      });
    }
  }

  private final class FromServer extends Listener {
    private final Side side;

    FromServer(Side side) {
      this.side = side;
    }

    @Override
    Side side() {
      return side;
    }

    @Override
    Optional<Exchange> find(int stream) {
      return Optional.ofNullable(byServer.get(stream));
    }

    @Override
    Flow towards(Exchange exchange) {
      return exchange.up;
    }

    @Override
    void drainAll() {
      drainUp();
    }

    @Override
    public void onSettings(SettingsFrame frame) {
      Integer most = frame.getSettings().get(SettingsFrame.MAX_CONCURRENT_STREAMS);
      if (!frame.isReply() && most != null && most >= 0 && most < maxStreams) {
        maxStreams = most;
        attempt(() ->
            client.send(
                new SettingsFrame(Map.of(SettingsFrame.MAX_CONCURRENT_STREAMS, most), false)));
      }
      super.onSettings(frame);
    }

    @Override
    public void onHeaders(HeadersFrame frame) {
      attempt(() -> {
        Optional<Exchange> found = find(frame.getStreamId());
        if (found.isEmpty()) {
          return;
        }
        Exchange exchange = found.get();
        try {
          if (frame.getMetaData() instanceof MetaData.Response head) {
            answer(exchange, head, frame.isEndStream());
          } else {
            trail(exchange, frame);
          }
        } catch (BadMessageException e) {
          abort(exchange, ErrorCode.INTERNAL_ERROR);
        }
      });
    }

    private void trail(Exchange exchange, HeadersFrame frame) throws IOException {
      if (!exchange.answered || !frame.isEndStream() || exchange.down.hasEnded()) {
        abort(exchange, ErrorCode.PROTOCOL_ERROR);
        return;
      }
      List<Field> fields = Messages.fields(frame.getMetaData().getHttpFields());
      List<Field> masked = exchange.edits.map(edits -> edits.answered(fields)).orElse(fields);
      exchange.down.ended(Optional.of(Messages.trailers(masked)));
      exchange.down.drain();
      removeIfDone(exchange);
    }

    @Override
    public void onData(DataFrame frame) {
      attempt(() -> {
        side.came(frame.flowControlLength());
        side.used(frame.padding());
        byte[] bytes = bytes(frame);
        Optional<Exchange> found = find(frame.getStreamId());
        if (found.isEmpty()) {
          side.used(bytes.length);
          return;
        }
        Exchange exchange = found.get();
        if (!exchange.answered || exchange.down.hasEnded()) {
          side.used(bytes.length);
          abort(exchange, ErrorCode.PROTOCOL_ERROR);
          return;
        }
        requests.received(bytes.length);
        exchange.down.came(bytes);
        if (frame.isEndStream()) {
          exchange.down.ended(Optional.empty());
        }
        try {
          exchange.down.drain();
          removeIfDone(exchange);
        } catch (BadMessageException e) {
          abort(exchange, ErrorCode.INTERNAL_ERROR);
        }
      });
    }

    @Override
    public void onReset(ResetFrame frame) {
      attempt(() -> {
        Optional<Exchange> exchange = find(frame.getStreamId());
        if (exchange.isPresent() && exchange.get().down.hasEnded()) {
          exchange.get().cutShort = true;
          exchange.get().up.drop();
          removeIfDone(exchange.get());
        } else if (exchange.isPresent()) {
          client.send(new ResetFrame(exchange.get().clientStream, frame.getError()));
          remove(exchange.get());
        }
      });
    }

    @Override
    public void onGoAway(GoAwayFrame frame) {
      attempt(() -> {
        leaving = true;
        client.goAway(lastClientStream, ErrorCode.NO_ERROR.code);
        for (Exchange exchange : List.copyOf(byServer.values())) {
          if (exchange.serverStream > frame.getLastStreamId()) {
            client.reset(exchange.clientStream, ErrorCode.REFUSED_STREAM_ERROR);
            remove(exchange);
          }
        }
        endIfIdle();
      });
    }

    @Override
    public void onStreamFailure(int stream, int error, String reason) {
      attempt(() -> {
        Optional<Exchange> exchange = find(stream);
        if (exchange.isPresent()) {
          abort(exchange.get(), ErrorCode.INTERNAL_ERROR);
        }
      });
    }

    @Override
    public void onPushPromise(PushPromiseFrame frame) {
      attempt(() -> fail(ErrorCode.PROTOCOL_ERROR.code));
    }
  }
}
