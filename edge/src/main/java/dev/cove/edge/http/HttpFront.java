package dev.cove.edge.http;

import dev.cove.control.key.ApiKeys;
import dev.cove.control.project.Projects;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.ThreadPool;

/** The listening server: one connector, HTTP/1.1 and HTTP/2, a virtual thread per request. */
public final class HttpFront implements AutoCloseable {
  /** An acceptor, a selector, and two for what the library does beside. */
  private static final int SYSTEM_THREADS = 4;

  /** How many requests one HTTP/2 connection may have at work at once. */
  private static final int STREAMS = 128;

  private final Server server;
  private final ServerConnector connector;
  private final FrontHandler front;
  private final Duration grace;

  private HttpFront(
      Server server, ServerConnector connector, FrontHandler front, HttpLimits limits) {
    this.server = server;
    this.connector = connector;
    this.front = front;
    this.grace = limits.stop();
  }

  /**
   * Where to listen.
   *
   * @param domain a name that is ours as well
   */
  public record Address(String host, int port, String domain) {}

  public static HttpFront start(
      Address address,
      HttpLimits limits,
      List<Dialect> dialects,
      ApiKeys keys,
      Projects projects,
      RequestLog log,
      WebSockets sockets,
      Gateway gateway)
      throws IOException {
    var scheduler = new ScheduledExecutorScheduler("edge-timer", true);
    var server = new Server(threads(), scheduler, null);
    HttpConfiguration http = configuration(limits);
    var connector =
        new ListeningSocket(server, new HttpConnectionFactory(http), http2(http, limits));
    connector.setHost(address.host());
    connector.setPort(address.port());
    connector.setIdleTimeout(limits.idle().toMillis());
    connector.setAcceptQueueSize(1_024);
    connector.addBean(new HeadDeadline(scheduler, limits.head()));
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(limits.connections(), connector));
    var front =
        new FrontHandler(
            dialects,
            new HostCheck(address.host(), address.domain()),
            new KeyCheck(keys),
            new Admittance(projects),
            limits,
            log,
            gateway);
    server.setHandler(new GracefulHandler(front));
    server.setErrorHandler((_, response, callback) -> {
      ProblemReply.write(response, callback, response.getStatus());
      return true;
    });
    server.setStopTimeout(limits.stop().multipliedBy(2).toMillis());
    sockets.install(server);
    open(server);
    return new HttpFront(server, connector, front, limits);
  }

  /** The selector has a thread of its own; whatever may wait runs on virtual ones. */
  private static ThreadPool threads() {
    var threads = new QueuedThreadPool(SYSTEM_THREADS, SYSTEM_THREADS);
    threads.setName("edge");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    threads.setVirtualThreadsExecutor(
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("request-", 0).factory()));
    return threads;
  }

  public int port() {
    return connector.getLocalPort();
  }

  /** Takes no more requests, gives those at work their grace, then interrupts them. */
  @Override
  public void close() {
    Thread impatience = Thread.ofVirtual().name("edge-stop").start(this::interruptAfterGrace);
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The HTTP server did not stop cleanly", e);
    } finally {
      impatience.interrupt();
    }
  }

  private void interruptAfterGrace() {
    try {
      Thread.sleep(grace);
      front.interruptAll();
    } catch (InterruptedException _) {
      // All ended in time.
    }
  }

  // The library's own lifecycle methods throw plain Exception.
  private static void open(Server server) throws IOException {
    try {
      server.start();
    } catch (IOException | CoveException e) {
      stopAfter(server, e);
      throw e;
    } catch (Exception e) {
      stopAfter(server, e);
      throw new IllegalStateException("The HTTP server did not start", e);
    }
  }

  private static void stopAfter(Server server, Exception cause) {
    try {
      server.stop();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  /** Without TLS, for clients that begin with it. WebSockets stay with HTTP/1.1. */
  private static HTTP2CServerConnectionFactory http2(HttpConfiguration http, HttpLimits limits) {
    var factory = new HTTP2CServerConnectionFactory(http);
    factory.setConnectProtocolEnabled(false);
    factory.setMaxConcurrentStreams(STREAMS);
    factory.setStreamIdleTimeout(limits.idle().toMillis());
    return factory;
  }

  private static HttpConfiguration configuration(HttpLimits limits) {
    var http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(HttpLimits.HEADERS);
    http.setResponseHeaderSize(HttpLimits.HEADERS);
    http.setIdleTimeout(limits.idle().toMillis());
    http.setUriCompliance(URIS);
    http.setHttpCompliance(LINES);
    return http;
  }

  // A line that ends for some and not for others hides one request in another.
  private static final HttpCompliance LINES =
      HttpCompliance.RFC9110.without(
          "COVE",
          HttpCompliance.Violation.LF_HEADER_TERMINATION,
          HttpCompliance.Violation.LF_CHUNK_TERMINATION);

  // Names of sandboxes are free text, so an encoded slash or dot in a segment is data here. That is
  // safe because routes are found on the undecoded path and nothing is ever normalised.
  private static final UriCompliance URIS =
      UriCompliance.from(
          Set.of(
              Violation.AMBIGUOUS_PATH_SEGMENT,
              Violation.AMBIGUOUS_PATH_SEPARATOR,
              Violation.AMBIGUOUS_PATH_PARAMETER,
              Violation.AMBIGUOUS_PATH_ENCODING,
              Violation.AMBIGUOUS_EMPTY_SEGMENT,
              Violation.SUSPICIOUS_PATH_CHARACTERS));
}
