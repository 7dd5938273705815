package dev.cove.egress.intercept;

import dev.cove.egress.dial.DialFailedException;
import dev.cove.egress.http.Edits;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.Http1;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.egress.http.RequestHead;
import dev.cove.egress.http2.Http2;
import dev.cove.egress.relay.Inflow;
import dev.cove.egress.secret.SandboxCertificates;
import dev.cove.egress.secret.SecretTraffic;
import dev.cove.egress.secret.Vault;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSocket;

/**
 * Looks at requests: ends TLS on both sides, decides on each request for itself, puts secrets into
 * those that they are bound to and masks them in what comes back.
 *
 * <p>Each connection of a program has one connection to the world for as long as both live, and
 * both speak the same version of HTTP, since the server is asked first. So nothing is translated
 * between versions, and no connection ever carries requests of two sandboxes.
 */
public final class RequestInspection implements HttpInterception {
  private static final String HTTP_1 = "http/1.1";
  private static final String HTTP_2 = "h2";
  private static final List<String> KNOWN = List.of(HTTP_2, HTTP_1);

  private final Vault vault;
  private final SandboxCertificates certificates;
  private final UpstreamTls upstream;

  /**
   * @param trusted authorities whose certificates servers may have, besides those that the JDK
   *     trusts
   */
  public RequestInspection(
      Vault vault, SandboxCertificates certificates, List<X509Certificate> trusted)
      throws IOException {
    this.vault = vault;
    this.certificates = certificates;
    this.upstream = new UpstreamTls(trusted);
  }

  @Override
  public boolean handles(SandboxId sandbox, Destination destination, boolean tls) {
    return true;
  }

  @Override
  public Optional<byte[]> caCertificate(SandboxId sandbox) throws IOException {
    return Optional.of(certificates.caCertificate(sandbox));
  }

  @Override
  public void forget(SandboxId sandbox) throws IOException {
    upstream.forget(sandbox);
    certificates.forget(sandbox);
  }

  @Override
  public void take(InterceptedConnection connection) throws Exception {
    if (connection.tls()) {
      takeTls(connection);
    } else {
      Socket client = connection.client().socket();
      var in = new Inflow(client);
      in.putBack(connection.ahead());
      speak1(connection, client, in, new Requests(connection));
    }
  }

  private void takeTls(InterceptedConnection connection) throws Exception {
    var client =
        (SSLSocket)
            certificates
                .contextFor(connection.sandbox(), connection.destination())
                .getSocketFactory()
                .createSocket(
                    connection.client().socket(),
                    new ByteArrayInputStream(connection.ahead()),
                    true);
    var requests = new Requests(connection);
    client.setHandshakeApplicationProtocolSelector((_, offered) -> requests.agree(offered));
    client.setSoTimeout((int) connection.patience().toMillis());
    client.startHandshake();
    client.setSoTimeout(0);
    if (HTTP_2.equals(client.getApplicationProtocol())) {
      new Http2(
              client,
              requests.server.map(Socket.class::cast),
              requests.refusal.map(RefusedRequestException::page),
              requests)
          .run();
    } else {
      speak1(connection, client, new Inflow(client), requests);
    }
  }

  private static void speak1(
      InterceptedConnection connection, Socket client, Inflow in, Requests requests)
      throws IOException, InterruptedException {
    try {
      new Http1(client, in, requests, connection.patience()).run();
      client.close();
    } catch (RefusedRequestException e) {
      client.getOutputStream().write(e.page().bytes(false));
      client.shutdownOutput();
      in.hearOut();
      client.close();
    }
  }

  /** The requests of one connection, and its one connection to the world. */
  private final class Requests implements Http1.Upstream, Http2.Requests {
    private final InterceptedConnection connection;
    private final SecretTraffic secrets;
    private Optional<SSLSocket> server = Optional.empty();
    private Optional<RefusedRequestException> refusal = Optional.empty();

    Requests(InterceptedConnection connection) {
      this.connection = connection;
      this.secrets = new SecretTraffic(vault, connection.destination(), connection.tls());
    }

    /** Asks the server first, and agrees with the client on what it said. */
    @org.jspecify.annotations.Nullable
    String agree(List<String> offered) {
      List<String> wanted = KNOWN.stream().filter(offered::contains).toList();
      if (wanted.isEmpty()) {
        return null;
      }
      try {
        SSLSocket connected = upstream.connect(connection, wanted);
        server = Optional.of(connected);
        String agreed = connected.getApplicationProtocol();
        return agreed.isEmpty() ? (wanted.contains(HTTP_1) ? HTTP_1 : null) : agreed;
      } catch (RefusedRequestException e) {
        refusal = Optional.of(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        refusal =
            Optional.of(
                new RefusedRequestException(
                    Page.unreachable(connection.destination().toString(), "interrupted")));
      }
      return wanted.getLast();
    }

    @Override
    public Optional<Edits> check(RequestHead request) throws RefusedRequestException {
      return check(
          request.request(),
          request.isFor(connection.destination()),
          request.target(),
          request.fields().all());
    }

    @Override
    public Optional<Edits> check(
        Request request, boolean sameHost, String target, List<Field> fields)
        throws RefusedRequestException {
      connection.check(request, sameHost);
      return secrets.edits(connection.secrets(), request, target, fields);
    }

    @Override
    public Destination destination() {
      return connection.destination();
    }

    @Override
    public Socket dial() throws RefusedRequestException, InterruptedException {
      if (refusal.isPresent()) {
        throw refusal.get();
      }
      if (server.isPresent()) {
        return server.get();
      }
      if (connection.tls()) {
        return upstream.connect(connection, List.of(HTTP_1));
      }
      try {
        return connection.dial().socket();
      } catch (DialFailedException e) {
        throw new RefusedRequestException(connection.page(e));
      }
    }

    @Override
    public void sent(long bytes) throws IOException {
      connection.sent(bytes);
    }

    @Override
    public void received(long bytes) throws IOException {
      connection.received(bytes);
    }

    @Override
    public void cut() {
      connection.cut();
    }
  }
}
