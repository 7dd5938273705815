package dev.cove.egress.http;

import dev.cove.egress.relay.Connection;
import dev.cove.egress.relay.Inflow;
import dev.cove.egress.relay.Pump;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * HTTP/1 without TLS between a sandbox and the world, each request checked before it goes out. One
 * request at a time: the next is read when the answer to the last is complete, so that nobody can
 * take part of one message for another.
 */
public final class PlainHttp {
  /** Says whether requests may go out, and where to. */
  public interface Upstream {
    void check(RequestHead request) throws RefusedRequestException;

    SocketChannel dial() throws RefusedRequestException, InterruptedException;
  }

  /** What follows an answer. */
  private enum After {
    NEXT,
    END,
    UPGRADE
  }

  /** A request that waits for the end of its answer. */
  private record Exchange(RequestHead request, CompletableFuture<After> after) {}

  private final Connection connection;
  private final Inflow client;
  private final Upstream upstream;
  private final Duration patience;
  private final AtomicReference<Optional<Exchange>> current =
      new AtomicReference<>(Optional.empty());

  public PlainHttp(Connection connection, Inflow client, Upstream upstream, Duration patience) {
    this.connection = connection;
    this.client = client;
    this.upstream = upstream;
    this.patience = patience;
  }

  /** Returns when the connection has had its last request. */
  public void run() throws IOException, InterruptedException, RefusedRequestException {
    Optional<RequestHead> request = next();
    if (request.isEmpty()) {
      return;
    }
    SocketChannel server = upstream.dial();
    Thread answers = Thread.ofVirtual().start(() -> carryAnswers(server));
    while (request.isPresent()) {
      After after = carry(request.get(), server);
      if (after == After.UPGRADE) {
        client.copyAll(server, connection::sent);
        server.shutdownOutput();
        answers.join();
        return;
      }
      if (after == After.END || request.get().isLast()) {
        return;
      }
      request = next();
    }
  }

  private Optional<RequestHead> next() throws IOException, RefusedRequestException {
    Optional<RequestHead> request;
    try {
      request = RequestHead.read(client, patience);
    } catch (BadMessageException e) {
      throw new RefusedRequestException(Page.bad(e.what()));
    }
    if (request.isPresent()) {
      upstream.check(request.get());
    }
    return request;
  }

  private After carry(RequestHead request, SocketChannel server)
      throws IOException, InterruptedException {
    var exchange = new Exchange(request, new CompletableFuture<>());
    current.set(Optional.of(exchange));
    byte[] head = request.bytes();
    connection.sent(head.length);
    Pump.write(server, ByteBuffer.wrap(head));
    new Body(client, server, connection::sent).carry(request.framing());
    try {
      return exchange.after().get();
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }

  private void carryAnswers(SocketChannel server) {
    try {
      var in = new Inflow(server);
      while (in.available() > 0 || in.fill(Inflow.FOREVER)) {
        Exchange exchange =
            current.get().orElseThrow(() -> new BadMessageException("An answer to no request"));
        After after = carryAnswer(exchange.request(), in);
        current.set(Optional.empty());
        exchange.after().complete(after);
        if (after == After.UPGRADE) {
          in.copyAll(connection.client(), connection::received);
          connection.client().shutdownOutput();
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
      connection.close();
    } catch (IOException | RuntimeException | Error e) {
      connection.cut();
      current.get().ifPresent(exchange -> exchange.after().completeExceptionally(e));
    }
  }

  private After carryAnswer(RequestHead request, Inflow in) throws IOException {
    while (true) {
      ResponseHead head = ResponseHead.read(in);
      if (head.upgrades() && !request.upgrades()) {
        throw new BadMessageException("An upgrade that nobody asked for");
      }
      Framing framing = head.framing(request.method());
      byte[] bytes = head.bytes();
      connection.received(bytes.length);
      Pump.write(connection.client(), ByteBuffer.wrap(bytes));
      new Body(in, connection.client(), connection::received).carry(framing);
      if (head.upgrades()) {
        return After.UPGRADE;
      }
      if (!head.isInterim()) {
        return head.isLast() || framing instanceof Framing.UntilEnd ? After.END : After.NEXT;
      }
    }
  }
}
