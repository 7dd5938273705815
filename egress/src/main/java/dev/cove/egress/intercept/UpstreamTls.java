package dev.cove.egress.intercept;

import dev.cove.egress.dial.DialFailedException;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Literal;
import dev.cove.model.network.Destination.Named;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * TLS to the world, as a client that always verifies whom it speaks with. Sessions are resumed
 * within a sandbox and never across two.
 */
final class UpstreamTls {
  private static final int SESSIONS = 256;

  private final TrustManager[] trust;
  private final Map<SandboxId, SSLContext> contexts = new ConcurrentHashMap<>();

  /**
   * @param trusted authorities besides those that the JDK trusts
   */
  UpstreamTls(List<X509Certificate> trusted) throws IOException {
    try {
      trust = trustManagers(trusted);
    } catch (GeneralSecurityException e) {
      throw new IOException("The trusted certificates can not be used", e);
    }
  }

  private static TrustManager[] trustManagers(List<X509Certificate> trusted)
      throws GeneralSecurityException, IOException {
    TrustManagerFactory usual = TrustManagerFactory.getInstance("PKIX");
    usual.init((KeyStore) null);
    KeyStore all = KeyStore.getInstance("PKCS12");
    all.load(null, null);
    int number = 0;
    for (TrustManager manager : usual.getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        for (X509Certificate certificate : x509.getAcceptedIssuers()) {
          all.setCertificateEntry("usual-" + number++, certificate);
        }
      }
    }
    for (X509Certificate certificate : trusted) {
      all.setCertificateEntry("added-" + number++, certificate);
    }
    TrustManagerFactory both = TrustManagerFactory.getInstance("PKIX");
    both.init(all);
    return both.getTrustManagers();
  }

  /**
   * Connects to the destination of a connection.
   *
   * @param protocols that may be spoken inside, the best first
   * @throws RefusedRequestException there is no such connection, or nobody there who can prove that
   *     he is the destination
   */
  SSLSocket connect(InterceptedConnection connection, List<String> protocols)
      throws RefusedRequestException, InterruptedException {
    SocketChannel channel;
    try {
      channel = connection.dial();
    } catch (DialFailedException e) {
      throw new RefusedRequestException(connection.page(e));
    }
    try {
      return handshake(connection, channel, protocols);
    } catch (IOException | GeneralSecurityException e) {
      connection.release(channel);
      String why =
          hasCause(e, CertificateException.class)
              ? "its certificate is not good for that name"
              : "TLS with it failed";
      connection.failed(why);
      throw new RefusedRequestException(Page.unreachable(connection.destination().toString(), why));
    }
  }

  private SSLSocket handshake(
      InterceptedConnection connection, SocketChannel channel, List<String> protocols)
      throws IOException, GeneralSecurityException {
    Destination destination = connection.destination();
    String host =
        switch (destination.host()) {
          case Named(var name) -> name.value();
          case Literal(var address) -> address.getHostAddress();
        };
    var socket =
        (SSLSocket)
            context(connection.sandbox())
                .getSocketFactory()
                .createSocket(channel.socket(), host, destination.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setApplicationProtocols(protocols.toArray(String[]::new));
    if (destination.host() instanceof Named) {
      parameters.setServerNames(List.of(new SNIHostName(host)));
    }
    socket.setSSLParameters(parameters);
    socket.setSoTimeout((int) connection.patience().toMillis());
    socket.startHandshake();
    socket.setSoTimeout(0);
    return socket;
  }

  private SSLContext context(SandboxId sandbox) throws GeneralSecurityException {
    SSLContext known = contexts.get(sandbox);
    if (known != null) {
      return known;
    }
    SSLContext made = SSLContext.getInstance("TLS");
    made.init(null, trust, null);
    made.getClientSessionContext().setSessionCacheSize(SESSIONS);
    SSLContext other = contexts.putIfAbsent(sandbox, made);
    return other == null ? made : other;
  }

  void forget(SandboxId sandbox) {
    contexts.remove(sandbox);
  }

  private static boolean hasCause(Throwable thrown, Class<? extends Throwable> wanted) {
    int depth = 0;
    for (Throwable t = thrown; t != null && depth < 16; t = t.getCause(), depth++) {
      if (wanted.isInstance(t)) {
        return true;
      }
    }
    return false;
  }
}
