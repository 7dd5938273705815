package dev.cove.egress.http;

import dev.cove.egress.relay.Inflow;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * HTTP/1 between a sandbox and the world, each request checked before it goes out. One request at a
 * time: the next is read when the answer to the last is complete, so that nobody can take part of
 * one message for another.
 */
public final class Http1 {
  /** Says whether requests may go out, where to, and what is changed in them. */
  public interface Upstream {
    Optional<Edits> check(RequestHead request) throws RefusedRequestException;

    Socket dial() throws RefusedRequestException, IOException, InterruptedException;

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

  /** What follows an answer. */
  private enum After {
    NEXT,
    END,
    UPGRADE
  }

  /** A request that waits for the end of its answer. */
  private record Exchange(
      RequestHead request, Optional<Edits> edits, CompletableFuture<After> after) {}

  private static final int BUFFER = 16 << 10;
  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Socket client;
  private final Inflow in;
  private final OutputStream out;
  private final Upstream upstream;
  private final Duration patience;
  private final AtomicReference<Optional<Exchange>> current =
      new AtomicReference<>(Optional.empty());

  /**
   * @param in what comes from the client
   */
  public Http1(Socket client, Inflow in, Upstream upstream, Duration patience) throws IOException {
    this.client = client;
    this.in = in;
    this.out = new BufferedOutputStream(client.getOutputStream(), BUFFER);
    this.upstream = upstream;
    this.patience = patience;
  }

  /** Returns when the connection has had its last request. */
  public void run() throws IOException, InterruptedException, RefusedRequestException {
    Optional<Exchange> exchange = next();
    if (exchange.isEmpty()) {
      return;
    }
    Socket server = upstream.dial();
    OutputStream toServer = new BufferedOutputStream(server.getOutputStream(), BUFFER);
    Thread answers = Thread.ofVirtual().start(() -> carryAnswers(server));
    while (exchange.isPresent()) {
      After after = carry(exchange.get(), toServer);
      if (after == After.UPGRADE) {
        in.copyAll(toServer, upstream::sent);
        server.shutdownOutput();
        answers.join();
        return;
      }
      if (after == After.END || exchange.get().request().isLast()) {
        return;
      }
      exchange = next();
    }
  }

  private Optional<Exchange> next() throws IOException, RefusedRequestException {
    Optional<RequestHead> request;
    try {
      request = RequestHead.read(in, patience);
    } catch (BadMessageException e) {
      throw new RefusedRequestException(Page.bad(e.what()));
    }
    return request.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Exchange(request.get(), upstream.check(request.get()), new CompletableFuture<>()));
  }

  private After carry(Exchange exchange, OutputStream server)
      throws IOException, InterruptedException, RefusedRequestException {
    RequestHead request = exchange.request();
    Optional<Edits> edits = exchange.edits();
    if (edits.isPresent()
        && edits.get().changesBody()
        && !request.framing().equals(new Framing.Length(0))) {
      carryWhole(exchange, edits.get(), server);
    } else {
      current.set(Optional.of(exchange));
      send(
          edits.map(each -> request.with(each.target(), Fields.of(each.fields()))).orElse(request),
          server);
      new Body(in, server, upstream::sent).carry(request.framing());
      server.flush();
    }
    try {
      return exchange.after().get();
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }

  private void send(RequestHead request, OutputStream server) throws IOException {
    byte[] head = request.bytes();
    upstream.sent(head.length);
    server.write(head);
  }

  /**
   * Whoever waits for leave to send his body gets it from us, since the server is not asked yet.
   */
  private void carryWhole(Exchange exchange, Edits edits, OutputStream server)
      throws IOException, RefusedRequestException {
    if (exchange.request().expectsContinue()) {
      out.write(CONTINUE);
      out.flush();
    }
    byte[] body = edits.body(whole(exchange.request()));
    Fields fields =
        Fields.of(edits.fields())
            .without(Set.of("content-length", "transfer-encoding", "expect", "trailer"))
            .with("Content-Length", Integer.toString(body.length));
    current.set(Optional.of(exchange));
    send(exchange.request().with(edits.target(), fields), server);
    upstream.sent(body.length);
    server.write(body);
    server.flush();
  }

  private byte[] whole(RequestHead request) throws IOException, RefusedRequestException {
    var whole = new ByteArrayOutputStream();
    try {
      new Body(in, OutputStream.nullOutputStream(), _ -> {})
          .read(
              request.framing(),
              (bytes, offset, length) -> {
                if (whole.size() + length > Edits.MAX_BODY) {
                  throw new BodyTooLargeException();
                }
                whole.write(bytes, offset, length);
              });
    } catch (BodyTooLargeException e) {
      throw new RefusedRequestException(Page.tooLarge(Edits.MAX_BODY));
    }
    return whole.toByteArray();
  }

  private static final class BodyTooLargeException extends IOException {}

  private void carryAnswers(Socket server) {
    try {
      var from = new Inflow(server);
      while (from.available() > 0 || from.fill(Inflow.FOREVER)) {
        Exchange exchange =
            current.get().orElseThrow(() -> new BadMessageException("An answer to no request"));
        After after = carryOrReplace(exchange, from);
        out.flush();
        current.set(Optional.empty());
        exchange.after().complete(after);
        if (after == After.UPGRADE) {
          from.copyAll(out, upstream::received);
          client.shutdownOutput();
          return;
        }
        if (after == After.END) {
          return;
        }
      }
      // The server ended an idle connection; so does this one, unless an answer is missing.
      if (current.get().isPresent()) {
        throw new BadMessageException("No answer came");
      }
      client.close();
    } catch (IOException | RuntimeException | Error e) {
      upstream.cut();
      current.get().ifPresent(exchange -> exchange.after().completeExceptionally(e));
    }
  }

  /** An answer that cannot be changed as it must be is replaced by a page that says so. */
  private After carryOrReplace(Exchange exchange, Inflow from) throws IOException {
    try {
      return carryAnswer(exchange, from);
    } catch (UnreadableAnswerException e) {
      out.write(e.page().bytes(false));
      return After.END;
    }
  }

  private After carryAnswer(Exchange exchange, Inflow from) throws IOException {
    RequestHead request = exchange.request();
    while (true) {
      ResponseHead head = ResponseHead.read(from);
      if (head.upgrades() && !request.upgrades()) {
        throw new BadMessageException("An upgrade that nobody asked for");
      }
      Framing framing = head.framing(request.method());
      Optional<Edits> edits = exchange.edits().filter(Edits::changesAnswers);
      boolean ended = framing instanceof Framing.UntilEnd;
      if (edits.isPresent() && !framing.equals(new Framing.Length(0))) {
        carryChanged(request, head, framing, edits.get(), from);
        ended |= !request.knowsChunks();
      } else {
        sendHead(edits.map(each -> changed(head, head.fields(), each)).orElse(head));
        new Body(from, out, upstream::received).carry(framing);
      }
      if (head.upgrades()) {
        return After.UPGRADE;
      }
      if (!head.isInterim()) {
        return head.isLast() || ended ? After.END : After.NEXT;
      }
      out.flush();
    }
  }

  private static ResponseHead changed(ResponseHead head, Fields fields, Edits edits) {
    return head.with(Fields.of(edits.answered(fields.all())), edits::answered);
  }

  private void sendHead(ResponseHead head) throws IOException {
    byte[] bytes = head.bytes();
    upstream.received(bytes.length);
    out.write(bytes);
  }

  /** How long it will be nobody knows, so it goes in chunks, or up to the end of the connection. */
  private void carryChanged(
      RequestHead request, ResponseHead head, Framing framing, Edits edits, Inflow from)
      throws IOException {
    Filter filter = edits.answer(head.status(), head.fields().all());
    boolean chunks = request.knowsChunks();
    Fields fields =
        head.fields().without(Set.of("content-length", "transfer-encoding", "content-encoding"));
    sendHead(
        changed(
            head,
            chunks
                ? fields.with("Transfer-Encoding", "chunked")
                : fields.without(Set.of("connection")).with("Connection", "close"),
            edits));
    Sink sink = chunks ? this::sendChunk : out::write;
    List<String> trailers =
        new Body(from, out, upstream::received)
            .read(framing, (bytes, offset, length) -> filter.take(bytes, offset, length, sink));
    filter.end(sink);
    if (chunks) {
      var end = new StringBuilder("0\r\n");
      for (String trailer : trailers) {
        end.append(Fields.of(edits.answered(Fields.parse(List.of(trailer)).all())).text());
      }
      out.write(end.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private void sendChunk(byte[] bytes, int offset, int length) throws IOException {
    if (length > 0) {
      out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.write(bytes, offset, length);
      out.write('\r');
      out.write('\n');
    }
  }
}
