package dev.cove.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpField;
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
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** An API of the world outside that speaks HTTP/2, and says back what it gets. */
final class H2Server implements AutoCloseable {
  static final int BIG = 96 << 20;

  final List<String> got = new CopyOnWriteArrayList<>();
  final CountDownLatch second = new CountDownLatch(1);
  private final Server server = new Server(new QueuedThreadPool(400));
  private final ServerConnector connector;

  H2Server(SSLContext context) throws Exception {
    var ssl = new SslContextFactory.Server();
    ssl.setSslContext(context);
    ssl.setSniRequired(false);
    var http = new HttpConfiguration();
    http.setRequestHeaderSize(64 << 10);
    http.setResponseHeaderSize(64 << 10);
    var alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
    connector =
        new ServerConnector(
            server,
            new SslConnectionFactory(ssl, "alpn"),
            alpn,
            new HTTP2ServerConnectionFactory(http),
            new HttpConnectionFactory(http));
    connector.setHost("127.77.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws Exception {
            serve(request, response);
            callback.succeeded();
            return true;
          }
        });
    server.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  int connections() {
    return connector.getConnectedEndPoints().size();
  }

  private void serve(Request request, Response response) throws Exception {
    String path = request.getHttpURI().getPath();
    var echo = new StringBuilder(request.getConnectionMetaData().getProtocol()).append(' ');
    echo.append(request.getMethod()).append(' ').append(request.getHttpURI().getPathQuery());
    echo.append('\n');
    for (HttpField field : request.getHeaders()) {
      echo.append(field.getLowerCaseName()).append(": ").append(field.getValue()).append('\n');
    }
    if (path.equals("/upload")) {
      long all = 0;
      try (var in = Content.Source.asInputStream(request)) {
        byte[] buffer = new byte[64 << 10];
        for (int n; (n = in.read(buffer)) >= 0; ) {
          all += n;
        }
      }
      Content.Sink.write(response, true, Long.toString(all), Callback.NOOP);
      return;
    }
    echo.append(Content.Source.asString(request, StandardCharsets.ISO_8859_1));
    got.add(echo.toString());
    byte[] bytes = echo.toString().getBytes(StandardCharsets.ISO_8859_1);
    switch (path) {
      case "/gzip" -> {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
          gzip.write(bytes);
        }
        response.getHeaders().put("content-encoding", "gzip");
        write(response, packed.toByteArray(), true);
      }
      case "/brotli" -> {
        response.getHeaders().put("content-encoding", "br");
        write(response, bytes, true);
      }
      case "/bytes" -> {
        for (int i = 0; i < bytes.length; i++) {
          write(response, new byte[] {bytes[i]}, i == bytes.length - 1);
        }
      }
      case "/grpc" -> {
        String token = request.getHeaders().get("authorization");
        response.getHeaders().put("content-type", "application/grpc");
        response.setTrailersSupplier(
            () -> HttpFields.build().add("grpc-status", "0").add("grpc-message", "for " + token));
        write(response, bytes, true);
      }
      case "/events" -> {
        response.getHeaders().put("content-type", "text/event-stream");
        write(response, "data: first\n\n".getBytes(StandardCharsets.US_ASCII), false);
        if (!second.await(15, TimeUnit.SECONDS)) {
          throw new IllegalStateException("The first event was never seen");
        }
        write(response, "data: second\n\n".getBytes(StandardCharsets.US_ASCII), true);
      }
      case "/big" -> {
        byte[] block = new byte[64 << 10];
        for (int sent = 0; sent < BIG; sent += block.length) {
          write(response, block, sent + block.length >= BIG);
        }
      }
      default -> write(response, bytes, true);
    }
  }

  private static void write(Response response, byte[] bytes, boolean last) throws Exception {
    try (var blocker = new org.eclipse.jetty.util.Blocker.Shared().callback()) {
      response.write(last, ByteBuffer.wrap(bytes), blocker);
      blocker.block();
    }
  }

  @Override
  public void close() throws IOException {
    second.countDown();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
