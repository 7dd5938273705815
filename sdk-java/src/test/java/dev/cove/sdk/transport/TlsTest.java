package dev.cove.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With a certificate for the name localhost, and for no other name or address. */
@Timeout(60)
class TlsTest {
  private static final char[] PASSWORD = "test-only".toCharArray();

  @TempDir private static Path folder;
  private static KeyStore keys;

  @BeforeAll
  static void makeCertificate() throws Exception {
    Path file = folder.resolve("keys.p12");
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process process =
        new ProcessBuilder(
                keytool.toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-validity",
                "2",
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD))
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream stream = Files.newInputStream(file)) {
      keys.load(stream, PASSWORD);
    }
  }

  private static SSLContext context() throws Exception {
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    var trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", keys.getCertificate("server"));
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static ScriptedServer server() throws Exception {
    return new ScriptedServer(
        context()
            .getServerSocketFactory()
            .createServerSocket(0, 10, InetAddress.getLoopbackAddress()),
        peer -> {
          while (!peer.readHead().isEmpty()) {
            peer.answer("sealed");
          }
        });
  }

  private static HttpClient client(String host, int port, SSLContext context) {
    Endpoint endpoint = Endpoint.of(URI.create("https://" + host + ":" + port));
    return new HttpClient(endpoint, Map.of(), context::getSocketFactory);
  }

  private static String fetch(HttpClient client) throws IOException {
    try (Response response = client.send(Request.of("GET", "/"))) {
      return new String(response.readAll(100), StandardCharsets.UTF_8);
    }
  }

  @Test
  void a_server_with_a_trusted_certificate_for_its_name_is_spoken_to() throws Exception {
    try (var server = server();
        var client = client("localhost", server.port(), context())) {
      assertThat(fetch(client)).isEqualTo("sealed");
      assertThat(fetch(client)).isEqualTo("sealed");
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void a_trusted_certificate_of_another_name_is_not_enough() throws Exception {
    try (var server = server();
        var client = client("127.0.0.1", server.port(), context())) {
      assertThatThrownBy(() -> fetch(client)).isInstanceOf(SSLException.class);
    }
  }

  @Test
  void a_certificate_that_nobody_vouches_for_is_refused() throws Exception {
    try (var server = server();
        var client = client("localhost", server.port(), SSLContext.getDefault())) {
      assertThatThrownBy(() -> fetch(client)).isInstanceOf(SSLException.class);
    }
  }
}
