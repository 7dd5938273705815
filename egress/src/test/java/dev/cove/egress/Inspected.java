package dev.cove.egress;

import dev.cove.egress.intercept.RequestInspection;
import dev.cove.egress.secret.SandboxCertificates;
import dev.cove.egress.secret.Vault;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.model.secret.SecretPlace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A gateway that ends TLS, with one sandbox that trusts it and may reach everything. */
final class Inspected implements AutoCloseable {
  static final SecretName TOKEN = new SecretName("TOKEN");
  static final String VALUE = "sk-live-0123456789abcdef";

  final Authority authority = new Authority();
  final Vault vault;
  final Inside inside;
  final SSLContext trust;
  final String placeholder;

  Inspected(Path folder) throws Exception {
    this(folder, GatewayLimits.USUAL);
  }

  Inspected(Path folder, GatewayLimits limits) throws Exception {
    vault = Vault.open(folder.resolve("secrets"), Clock.systemUTC());
    vault.set(TOKEN, VALUE.getBytes(StandardCharsets.US_ASCII));
    placeholder = vault.placeholder(TOKEN);
    var certificates =
        new SandboxCertificates(folder.resolve("networks"), vault, Clock.systemUTC());
    inside =
        new Inside(
            folder.resolve("networks"),
            NetworkPolicy.EVERYTHING,
            NetworkPolicy.EVERYTHING,
            limits,
            new RequestInspection(vault, certificates, List.of(authority.certificate)));
    trust =
        Authority.trusting(
            (X509Certificate)
                CertificateFactory.getInstance("X.509")
                    .generateCertificate(
                        new ByteArrayInputStream(
                            inside.gateway.caCertificate(inside.id).orElseThrow())));
    inside.world.put("api.test", "127.77.0.1");
    inside.world.put("evil.test", "127.77.0.1");
  }

  static SecretBinding binding(String place, String... hosts) {
    return new SecretBinding(
        TOKEN,
        Arrays.stream(hosts).map(NetworkRule::of).toList(),
        SecretPlace.of(place),
        Set.of(),
        List.of(),
        false,
        false,
        "");
  }

  static SecretBinding added(SecretBinding b) {
    return new SecretBinding(
        b.secret(), b.hosts(), b.place(), b.methods(), b.paths(), true, b.plainHttp(), b.env());
  }

  static SecretBinding plain(SecretBinding b) {
    return new SecretBinding(
        b.secret(), b.hosts(), b.place(), b.methods(), b.paths(), b.added(), true, b.env());
  }

  void bind(SecretBinding... bindings) {
    inside.network.bind(List.of(bindings));
  }

  /** A client that verifies the host's name; the protocols are those of ALPN. */
  SSLSocket connect(String host, int port, String... protocols) throws IOException {
    return over(inside.connect(host, port), host, port, protocols);
  }

  SSLSocket over(Socket plain, String host, int port, String... protocols) throws IOException {
    var socket = (SSLSocket) trust.getSocketFactory().createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(15_000);
    socket.startHandshake();
    return socket;
  }

  /** What comes back for a request that is the last on its connection. */
  String call(int port, String line, String... fields) throws IOException {
    return call(port, line, List.of(fields), "");
  }

  String call(int port, String line, List<String> fields, String body) throws IOException {
    var request = new StringBuilder(line).append(" HTTP/1.1\r\nHost: api.test\r\n");
    fields.forEach(field -> request.append(field).append("\r\n"));
    if (!body.isEmpty()) {
      request.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    request.append("Connection: close\r\n\r\n").append(body);
    return dechunked(Talk.answer(connect("api.test", port), request.toString()));
  }

  private static String dechunked(String answer) {
    return answer.contains("Transfer-Encoding: chunked")
        ? answer.replaceAll("\r\n[0-9a-f]+\r\n", "")
        : answer;
  }

  @Override
  public void close() {
    inside.close();
  }
}
