package dev.cove.egress.http2;

import dev.cove.egress.http.Edits;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.egress.limit.RateLimit;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.parser.Parser;
import org.eclipse.jetty.http2.parser.ServerParser;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RateControl;

/**
 * HTTP/2 between a sandbox and the world: each stream of the client becomes one of the server, and
 * nothing else of one connection reaches the other. Settings, windows, pings and header tables are
 * between the gateway and each of them.
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

  private static final int MAX_HEAD = 64 << 10;

  /**
   * Frames that cost us something and the sender nothing: pings, settings, empty ones. Who measures
   * a short way with pings sends many.
   */
  private static final int IDLE_FRAMES = 2_000;

  /** After a pause there may be so many times as many as in a second. */
  private static final int AT_ONCE = 4;

  private final Requests requests;
  private final Exchanges exchanges;

  /**
   * @param refusal what every request is answered with where there is no server
   */
  public Http2(Socket client, Optional<Socket> server, Optional<Page> refusal, Requests requests) {
    this.requests = requests;
    this.exchanges = new Exchanges(client, server, refusal, requests);
  }

  /** Returns when the connection has ended. */
  public void run() throws IOException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    synchronized (exchanges) {
      exchanges.client.sendSettings(
          Map.of(
              SettingsFrame.MAX_CONCURRENT_STREAMS,
              Exchanges.MAX_STREAMS,
              SettingsFrame.INITIAL_WINDOW_SIZE,
              Side.STREAM_WINDOW,
              SettingsFrame.MAX_HEADER_LIST_SIZE,
              MAX_HEAD));
      if (exchanges.server.isPresent()) {
        exchanges.server.get().sendPreface();
        exchanges
            .server
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
    threads.add(start(() -> exchanges.client.writeAndClose(exchanges::drainDown)));
    exchanges.server.ifPresent(side -> {
      threads.add(start(() -> side.writeAndClose(exchanges::drainUp)));
      threads.add(start(() -> readServer(side)));
    });
    try {
      readClient();
    } finally {
      exchanges.endAll();
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
          exchanges.endAll();
        });
  }

  private void readClient() throws IOException {
    var parser = new ServerParser(ByteBufferPool.NON_POOLING, MAX_HEAD, idleFrames());
    parser.init(new FromClient(exchanges));
    BrokenException.guarded(() -> exchanges.client.read(parser));
  }

  private void readServer(Side side) throws IOException {
    var parser = new Parser(ByteBufferPool.NON_POOLING, MAX_HEAD, idleFrames());
    parser.init(new FromServer(exchanges, side));
    BrokenException.guarded(() -> side.read(parser));
    synchronized (exchanges) {
      for (Exchange exchange : List.copyOf(exchanges.byServer.values())) {
        exchanges.client.reset(exchange.clientStream, ErrorCode.INTERNAL_ERROR);
        exchanges.remove(exchange);
      }
      exchanges.client.goAway(exchanges.lastClientStream, ErrorCode.NO_ERROR.code);
      exchanges.client.end();
    }
  }

  static RateLimit limit(int perSecond) {
    return new RateLimit(perSecond, AT_ONCE * perSecond);
  }

  private static RateControl idleFrames() {
    RateLimit limit = limit(IDLE_FRAMES);
    return _ -> limit.take();
  }
}
