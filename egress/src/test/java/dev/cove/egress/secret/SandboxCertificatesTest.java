package dev.cove.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxCertificatesTest {
  private static final SandboxId BOX = SandboxId.random();
  private static final Destination HOST = Destination.parse("api.test:443");

  @TempDir Path folder;
  private Vault vault;
  private SandboxCertificates certificates;

  @BeforeEach
  void open() throws Exception {
    vault = Vault.open(folder.resolve("secrets"), Clock.systemUTC());
    certificates = at(Clock.systemUTC());
  }

  private SandboxCertificates at(Clock clock) throws IOException {
    return new SandboxCertificates(folder.resolve("networks"), vault, clock);
  }

  private static X509Certificate read(byte[] pem) throws Exception {
    return (X509Certificate)
        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
  }

  private static SSLContext trusting(byte[] pem) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("ca", read(pem));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** The certificate that a client sees who trusts that authority and asks for that host. */
  private static X509Certificate seen(SSLContext server, byte[] trusted, String host)
      throws Exception {
    try (var listener = (SSLServerSocket) server.getServerSocketFactory().createServerSocket(0)) {
      Thread.ofVirtual()
          .start(() -> {
            try (Socket accepted = listener.accept()) {
              accepted.getInputStream().read();
            } catch (IOException e) {
              // The client says what went wrong.
            }
          });
      try (var plain = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
          var socket =
              (SSLSocket)
                  trusting(trusted).getSocketFactory().createSocket(plain, host, 443, true)) {
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
      }
    }
  }

  @Test
  void the_authority_of_a_sandbox_stays_over_restarts_until_it_is_forgotten() throws Exception {
    byte[] first = certificates.caCertificate(BOX);
    assertThat(read(first).getBasicConstraints()).isZero();
    assertThat(at(Clock.systemUTC()).caCertificate(BOX)).isEqualTo(first);
    assertThat(certificates.caCertificate(SandboxId.random())).isNotEqualTo(first);
    certificates.forget(BOX);
    assertThat(folder.resolve("networks/" + BOX + ".ca")).doesNotExist();
    assertThat(certificates.caCertificate(BOX)).isNotEqualTo(first);
  }

  @Test
  void its_key_is_encrypted_and_nobody_elses() throws Exception {
    certificates.caCertificate(BOX);
    Path file = folder.resolve("networks/" + BOX + ".ca");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Vault other = Vault.open(folder.resolve("elsewhere"), Clock.systemUTC());
    var stranger = new SandboxCertificates(folder.resolve("networks"), other, Clock.systemUTC());
    assertThatThrownBy(() -> stranger.caCertificate(BOX)).isInstanceOf(VaultException.class);
    SandboxId moved = SandboxId.random();
    Files.copy(file, folder.resolve("networks/" + moved + ".ca"));
    assertThatThrownBy(() -> certificates.caCertificate(moved)).isInstanceOf(VaultException.class);
    assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("PRIVATE");
  }

  @Test
  void a_client_in_the_sandbox_accepts_it_for_that_host_for_a_day() throws Exception {
    byte[] trusted = certificates.caCertificate(BOX);
    X509Certificate leaf = seen(certificates.contextFor(BOX, HOST), trusted, "api.test");
    assertThat(Duration.between(leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant()))
        .isLessThanOrEqualTo(Duration.ofHours(24));
    assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
    assertThatThrownBy(() -> seen(certificates.contextFor(BOX, HOST), trusted, "other.test"))
        .isInstanceOf(SSLHandshakeException.class);
    byte[] elsewhere = certificates.caCertificate(SandboxId.random());
    assertThatThrownBy(() -> seen(certificates.contextFor(BOX, HOST), elsewhere, "api.test"))
        .isInstanceOf(SSLHandshakeException.class);
  }

  @Test
  void an_address_has_a_certificate_too() throws Exception {
    SSLContext context = certificates.contextFor(BOX, Destination.parse("192.0.2.7:443"));
    assertThat(seen(context, certificates.caCertificate(BOX), "192.0.2.7")).isNotNull();
  }

  @Test
  void a_certificate_is_kept_and_renewed_before_it_ends() throws Exception {
    assertThat(certificates.contextFor(BOX, HOST)).isSameAs(certificates.contextFor(BOX, HOST));
    var clock =
        new Object() {
          Instant now = Instant.now();
        };
    var moving =
        at(
            new Clock() {
              @Override
              public Instant instant() {
                return clock.now;
              }

              @Override
              public java.time.ZoneId getZone() {
                return ZoneOffset.UTC;
              }

              @Override
              public Clock withZone(java.time.ZoneId zone) {
                return this;
              }
            });
    SSLContext first = moving.contextFor(BOX, HOST);
    clock.now = clock.now.plus(Duration.ofHours(20));
    assertThat(moving.contextFor(BOX, HOST)).isSameAs(first);
    clock.now = clock.now.plus(Duration.ofHours(2));
    assertThat(moving.contextFor(BOX, HOST)).isNotSameAs(first);
  }
}
