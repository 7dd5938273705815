package dev.cove.egress.call;

import dev.cove.egress.decision.AddressGuard;
import dev.cove.egress.name.Resolution;
import dev.cove.egress.name.Resolver;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.DomainName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Posts to addresses that somebody named. A name is looked up once, what it leads to is checked,
 * and one of the addresses that were checked is dialled: whoever owns the name cannot exchange it
 * in between. Redirects are answers like any other. Safe for use by many threads.
 */
public final class GuardedCalls {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration TOTAL = Duration.ofSeconds(15);
  private static final Duration REST = Duration.ofSeconds(1);
  private static final int MAX_TRIES = 4;
  private static final int MAX_STATUS_LINE = 4_096;
  private static final int MAX_REST = 64 * 1024;
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})( .*)?");

  private final Resolver resolver;
  private final AddressGuard guard;
  private final Duration total;

  public GuardedCalls(Resolver resolver, AddressGuard guard) {
    this(resolver, guard, TOTAL);
  }

  GuardedCalls(Resolver resolver, AddressGuard guard, Duration total) {
    this.resolver = resolver;
    this.guard = guard;
    this.total = total;
  }

  /**
   * Posts once.
   *
   * @return the status of the answer, whose body is not looked at
   * @throws IOException with a message for people, when there was no answer
   */
  public int post(URI url, Map<String, String> fields, byte[] body)
      throws IOException, InterruptedException {
    boolean encrypted = "https".equalsIgnoreCase(url.getScheme());
    int port = url.getPort() > 0 ? url.getPort() : encrypted ? 443 : 80;
    if (url.getHost() == null) {
      throw new IOException("It names no host");
    }
    String host = url.getHost().replaceAll("[\\[\\]]", "").toLowerCase(Locale.ROOT);
    try (Socket plain = connect(checked(host, port), port);
        Limit limit = new Limit(plain, total)) {
      try {
        Socket open = encrypted ? secure(plain, host, port) : plain;
        write(open, url, fields, body);
        int status = readStatus(open.getInputStream());
        drain(open);
        return status;
      } catch (SSLException e) {
        throw new IOException(
            limit.reached() ? LATE : "No encrypted connection to it: " + e.getMessage(), e);
      } catch (NoHttpException e) {
        throw e;
      } catch (IOException e) {
        throw new IOException(limit.reached() ? LATE : "The connection broke", e);
      }
    }
  }

  private static final String LATE = "It did not answer in time";

  private static final class NoHttpException extends IOException {
    NoHttpException() {
      super("What it answered is not HTTP");
    }
  }

  private List<InetAddress> checked(String host, int port)
      throws IOException, InterruptedException {
    var good = new ArrayList<InetAddress>();
    String objection = "it has no address";
    for (InetAddress address : addresses(host)) {
      Optional<String> against = guard.objection(address, port);
      if (against.isEmpty()) {
        good.add(address);
      } else {
        objection = "it leads to an address that is closed (" + against.get() + ")";
      }
    }
    if (good.isEmpty()) {
      throw new IOException("It may not be reached: " + objection);
    }
    return good.subList(0, Math.min(MAX_TRIES, good.size()));
  }

  private List<InetAddress> addresses(String host) throws IOException, InterruptedException {
    Optional<InetAddress> literal = AddressRange.address(host);
    if (literal.isPresent()) {
      return List.of(literal.get());
    }
    DomainName name;
    try {
      name = DomainName.of(host);
    } catch (IllegalArgumentException e) {
      throw new IOException("Its host is no name of a host", e);
    }
    return switch (resolver.resolve(name)) {
      case Resolution.Found found -> found.addresses();
      case Resolution.Missing _ -> throw new IOException("There is no host of that name");
      case Resolution.Empty _ -> throw new IOException("Its host has no address");
      case Resolution.Failed _ -> throw new IOException("Its host could not be looked up");
    };
  }

  private static Socket connect(List<InetAddress> addresses, int port) throws IOException {
    IOException last = new IOException("It has no address");
    for (InetAddress address : addresses) {
      var socket = new Socket();
      try {
        socket.setTcpNoDelay(true);
        socket.connect(
            new InetSocketAddress(address, port),
            Math.toIntExact(CONNECT.toMillis() / addresses.size()));
        return socket;
      } catch (IOException e) {
        socket.close();
        last = e;
      }
    }
    throw new IOException("It cannot be connected to: " + last.getMessage(), last);
  }

  private static Socket secure(Socket plain, String host, int port) throws IOException {
    var factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    var socket = (SSLSocket) factory.createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private static void write(Socket socket, URI url, Map<String, String> fields, byte[] body)
      throws IOException {
    String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    var head = new StringBuilder("POST " + path + query + " HTTP/1.1\r\n");
    head.append("Host: ").append(url.getRawAuthority()).append("\r\n");
    fields.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    head.append("Content-Length: ").append(body.length).append("\r\n");
    head.append("Connection: close\r\n\r\n");
    var all = new ByteArrayOutputStream();
    all.write(head.toString().getBytes(StandardCharsets.US_ASCII));
    all.write(body);
    OutputStream out = socket.getOutputStream();
    out.write(all.toByteArray());
    out.flush();
  }

  private static int readStatus(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n' && line.size() < MAX_STATUS_LINE; b = in.read()) {
      line.write(b);
    }
    Matcher status = STATUS.matcher(line.toString(StandardCharsets.ISO_8859_1).stripTrailing());
    if (!status.matches()) {
      throw new NoHttpException();
    }
    return Integer.parseInt(status.group(1));
  }

  /** Whoever is cut off in the middle of an answer may take it for a failure of ours. */
  private static void drain(Socket socket) {
    try {
      socket.setSoTimeout(Math.toIntExact(REST.toMillis()));
      socket.getInputStream().readNBytes(MAX_REST);
    } catch (IOException _) {
      // the status is all that counts
    }
  }

  /** Closes a socket when it takes too long, wherever it hangs. */
  private static final class Limit implements AutoCloseable {
    private final Thread thread;
    private volatile boolean reached;

    Limit(Socket socket, Duration time) {
      thread =
          Thread.ofVirtual()
              .name("call-limit")
              .start(() -> {
                try {
                  Thread.sleep(time);
                  reached = true;
                  socket.close();
                } catch (InterruptedException | IOException _) {
                  // over in time, or closed already
                }
              });
    }

    boolean reached() {
      return reached;
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }
}
