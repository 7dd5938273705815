package dev.cove.egress.http2;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Edits;
import dev.cove.egress.http.Fields;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.egress.limit.RateLimit;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;

/**
 * The requests of one connection and their answers: each stream of the client becomes one of the
 * server. All of it belongs to its own lock, which is never held while a socket is read or written.
 */
final class Exchanges {
  static final int MAX_STREAMS = 128;

  /** Streams that the client gives up, or that are turned away: each costs the server something. */
  private static final int GIVEN_UP = 100;

  final Http2.Requests requests;
  final Side client;
  final Optional<Side> server;
  private final Optional<Page> refusal;
  final Map<Integer, Exchange> byClient = new HashMap<>();
  final Map<Integer, Exchange> byServer = new HashMap<>();
  private final RateLimit givenUp = Http2.limit(GIVEN_UP);
  int lastClientStream;
  private int nextServerStream = 1;
  int maxStreams = MAX_STREAMS;
  boolean leaving;

  /**
   * @param refusal what every request is answered with where there is no server
   */
  Exchanges(
      Socket client, Optional<Socket> server, Optional<Page> refusal, Http2.Requests requests) {
    this.requests = requests;
    this.client = new Side(this, client);
    this.server = server.map(socket -> new Side(this, socket));
    this.refusal = refusal;
  }

  synchronized void endAll() {
    client.end();
    server.ifPresent(Side::end);
  }

  void drainDown() {
    BrokenException.attempt(() -> {
      for (Exchange exchange : List.copyOf(byClient.values())) {
        exchange.down.drain();
        removeIfDone(exchange);
      }
    });
  }

  void drainUp() {
    BrokenException.attempt(() -> {
      for (Exchange exchange : List.copyOf(byServer.values())) {
        exchange.up.drain();
        removeIfDone(exchange);
      }
    });
  }

  void removeIfDone(Exchange exchange) throws IOException {
    if (exchange.up.isDone() && exchange.down.isDone()) {
      if (exchange.cutShort) {
        client.reset(exchange.clientStream, ErrorCode.NO_ERROR);
      }
      remove(exchange);
    }
  }

  void remove(Exchange exchange) throws IOException {
    exchange.up.drop();
    exchange.down.drop();
    byClient.remove(exchange.clientStream);
    byServer.remove(exchange.serverStream);
    endIfIdle();
  }

  void endIfIdle() {
    if (leaving && byClient.isEmpty()) {
      endAll();
    }
  }

  void fail(int error) throws IOException {
    client.goAway(lastClientStream, error);
    if (server.isPresent()) {
      server.get().goAway(0, ErrorCode.NO_ERROR.code);
    }
    endAll();
  }

  /** Ends one exchange on both sides. */
  void abort(Exchange exchange, ErrorCode why) throws IOException {
    client.reset(exchange.clientStream, why);
    if (exchange.serverStream > 0 && server.isPresent()) {
      server.get().reset(exchange.serverStream, ErrorCode.CANCEL_STREAM_ERROR);
    }
    remove(exchange);
  }

  /** Each costs us an answer, so there is a limit to them as well. */
  void turnAway(int stream, ErrorCode why) throws IOException {
    client.reset(stream, why);
    countGivenUp();
  }

  void countGivenUp() throws IOException {
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

  /** Answers in the place of the server, which is asked for no more. */
  void replace(Exchange exchange, Page page) throws IOException {
    show(page, exchange.clientStream, exchange.up.hasEnded());
    server.orElseThrow().reset(exchange.serverStream, ErrorCode.CANCEL_STREAM_ERROR);
    remove(exchange);
  }

  void open(int stream, MetaData.Request head, boolean last) throws IOException {
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
  void collect(Exchange exchange, byte[] bytes, boolean last) throws IOException {
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

  void answer(Exchange exchange, MetaData.Response head, boolean last) throws IOException {
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
}
