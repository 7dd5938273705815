package dev.cove.sdk.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Where the server is.
 *
 * @param basePath what comes before {@code /api}, without a slash at its end; usually empty
 */
public record Endpoint(boolean tls, String host, int port, String basePath) {
  public static Endpoint of(URI url) {
    String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
    boolean tls = scheme.equals("https");
    if (!tls && !scheme.equals("http")) {
      throw new IllegalArgumentException("The server's URL must begin with http:// or https://");
    }
    if (url.getHost() == null || url.getRawUserInfo() != null || url.getRawQuery() != null) {
      throw new IllegalArgumentException(
          "The server's URL must be a host with an optional port and path, nothing more");
    }
    int port = url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    return new Endpoint(tls, url.getHost(), port, path.replaceAll("/+$", ""));
  }

  /** As the Host header wants it. */
  String authority() {
    return host + (port == (tls ? 443 : 80) ? "" : ":" + port);
  }

  Socket open(Duration connectTimeout, Supplier<SSLSocketFactory> tlsSockets) throws IOException {
    Socket plain = new Socket();
    try {
      String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
      plain.connect(new InetSocketAddress(bare, port), Math.toIntExact(connectTimeout.toMillis()));
      plain.setTcpNoDelay(true);
      plain.setKeepAlive(true);
      return tls ? secure(plain, bare, tlsSockets.get(), connectTimeout) : plain;
    } catch (IOException | RuntimeException e) {
      plain.close();
      throw e;
    }
  }

  private Socket secure(
      Socket plain, String name, SSLSocketFactory factory, Duration handshakeTimeout)
      throws IOException {
    var socket = (SSLSocket) factory.createSocket(plain, name, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    // Without this the JDK checks the chain but not whose certificate it is.
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(Math.toIntExact(handshakeTimeout.toMillis()));
    socket.startHandshake();
    return socket;
  }
}
