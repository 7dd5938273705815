package dev.cove.egress;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Vouches for servers of the world outside. */
final class Authority {
  private final KeyPair keys = keys();
  private final X500Name name = new X500Name("CN=World");
  final X509Certificate certificate;

  Authority() throws Exception {
    var builder =
        new JcaX509v3CertificateBuilder(
            name, serial(), hours(-1), hours(24), name, keys.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
    certificate = signed(builder, keys);
  }

  /** As the server of that host. */
  SSLContext server(String host) throws Exception {
    KeyPair pair = keys();
    return context(pair, leaf(pair, host, 24, name, keys), certificate);
  }

  SSLContext expired(String host) throws Exception {
    KeyPair pair = keys();
    return context(pair, leaf(pair, host, -1, name, keys), certificate);
  }

  /** Vouches for itself. */
  static SSLContext selfSigned(String host) throws Exception {
    KeyPair pair = keys();
    return context(pair, leaf(pair, host, 24, new X500Name("CN=Self"), pair));
  }

  private static X509Certificate leaf(
      KeyPair pair, String host, int hours, X500Name issuer, KeyPair by) throws Exception {
    var builder =
        new JcaX509v3CertificateBuilder(
            issuer, serial(), hours(-48), hours(hours), issuer, pair.getPublic());
    builder.addExtension(
        Extension.subjectAlternativeName,
        false,
        new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
    return signed(builder, by);
  }

  private static SSLContext context(KeyPair pair, X509Certificate... chain) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("server", pair.getPrivate(), new char[0], chain);
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  /** As a client that trusts nobody else. */
  static SSLContext trusting(X509Certificate certificate) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("authority", certificate);
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static X509Certificate signed(JcaX509v3CertificateBuilder builder, KeyPair by)
      throws Exception {
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by.getPrivate())));
  }

  private static KeyPair keys() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static BigInteger serial() {
    return new BigInteger(64, new SecureRandom()).add(BigInteger.ONE);
  }

  private static Date hours(int fromNow) {
    return Date.from(Instant.now().plus(Duration.ofHours(fromNow)));
  }
}
