package dev.cove.e2e;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/**
 * A server of the world that speaks HTTP/2 where its client does, calls with trailers, events and
 * WebSockets. It tells back the key that it was shown, and remembers it.
 */
final class ModernPlace implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;

  private final Server server = new Server(new QueuedThreadPool());
  private final ServerConnector connector;
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final CountDownLatch firstEventSeen = new CountDownLatch(1);

  ModernPlace(String address, SSLContext context) throws Exception {
    var ssl = new SslContextFactory.Server();
    ssl.setSslContext(context);
    var http = new HttpConfiguration();
    connector =
        new ServerConnector(
            server,
            new SslConnectionFactory(ssl, "alpn"),
            new ALPNServerConnectionFactory("h2", "http/1.1"),
            new HTTP2ServerConnectionFactory(http),
            new HttpConnectionFactory(http));
    connector.setHost(address);
    server.addConnector(connector);
    var sockets =
        WebSocketUpgradeHandler.from(
            server,
            container ->
                container.addMapping(
                    "/socket",
                    (request, _, _) -> {
                      String key = remember("socket", request);
                      return new Echo(key);
                    }));
    sockets.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws Exception {
            serve(request, response);
            callback.succeeded();
            return true;
          }
        });
    server.setHandler(sockets);
    server.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  /** How and with which key each request came. */
  List<String> seen() {
    return seen;
  }

  /** Whoever reads events has the first, so that the second may be sent. */
  void sendSecondEvent() {
    firstEventSeen.countDown();
  }

  private String remember(String how, Request request) {
    String key = request.getHeaders().get("authorization");
    seen.add(how + " " + request.getConnectionMetaData().getProtocol() + " " + key);
    return key;
  }

  private void serve(Request request, Response response) throws Exception {
    String path = request.getHttpURI().getPath();
    String key = remember(path, request);
    switch (path) {
      case "/call" -> {
        String asked = Content.Source.asString(request, StandardCharsets.UTF_8);
        response.getHeaders().put("content-type", "application/grpc");
        response.setTrailersSupplier(
            () -> HttpFields.build().add("grpc-status", "0").add("grpc-message", "for " + key));
        write(response, asked, true);
      }
      case "/events" -> {
        response.getHeaders().put("content-type", "text/event-stream");
        write(response, "data: first for " + key + "\n\n", false);
        if (!firstEventSeen.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          throw new IOException("Nobody has seen the first event.");
        }
        write(response, "data: second\n\n", true);
      }
      default -> write(response, request.getConnectionMetaData().getProtocol() + " " + key, true);
    }
  }

  private static void write(Response response, String text, boolean last) throws IOException {
    try (var done = Blocker.callback()) {
      response.write(last, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), done);
      done.block();
    }
  }

  /** Says each message back, and how long the key of the upgrade was. */
  public static final class Echo extends Session.Listener.AbstractAutoDemanding {
    private final String key;

    Echo(String key) {
      this.key = key;
    }

    @Override
    public void onWebSocketError(Throwable cause) {
      // A client that has heard enough hangs up.
    }

    @Override
    public void onWebSocketText(String message) {
      getSession()
          .sendText(
              message + " for " + key.length(), org.eclipse.jetty.websocket.api.Callback.NOOP);
    }
  }

  @Override
  public void close() throws IOException {
    firstEventSeen.countDown();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
