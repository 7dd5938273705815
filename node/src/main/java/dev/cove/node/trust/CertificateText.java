package dev.cove.node.trust;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Optional;

/** A certificate as the text that most programs read. */
final class CertificateText {
  private static final Base64.Encoder LINES =
      Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

  private CertificateText() {}

  static String of(X509Certificate certificate) {
    return "-----BEGIN CERTIFICATE-----\n"
        + LINES.encodeToString(bytesOf(certificate))
        + "\n-----END CERTIFICATE-----\n";
  }

  /** The first certificate in a text, which need not be one. */
  static Optional<X509Certificate> parse(String text) {
    try {
      var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
      return CertificateFactory.getInstance("X.509").generateCertificate(in)
              instanceof X509Certificate certificate
          ? Optional.of(certificate)
          : Optional.empty();
    } catch (CertificateException e) {
      return Optional.empty();
    }
  }

  static byte[] bytesOf(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("A certificate without a form", e);
    }
  }
}
