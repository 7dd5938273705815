package dev.cove.egress.secret;

import dev.cove.model.SandboxId;
import dev.cove.model.file.PrivateFile;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Host;
import dev.cove.model.network.Destination.Literal;
import dev.cove.model.network.Destination.Named;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The certificates with which the gateway answers in a host's place. Each sandbox has an authority
 * of its own, made when it is first needed, that only this sandbox trusts; its key is encrypted at
 * rest and never leaves the gateway. Certificates of hosts are good for a day and kept in memory.
 */
public final class SandboxCertificates {
  private static final String SUFFIX = ".ca";
  private static final int MAX_CONTEXTS = 1_024;
  private static final int MAX_AUTHORITIES = 1_024;
  private static final int SESSIONS = 256;
  private static final Duration AUTHORITY_LIFE = Duration.ofDays(3_650);

  /** Clocks differ, so a certificate begins a while ago; from there on it is a day in all. */
  private static final Duration SLACK = Duration.ofHours(1);

  private static final Duration LEAF_LIFE = Duration.ofHours(23);
  private static final Duration RENEWED_BEFORE_END = Duration.ofHours(2);
  private static final SecureRandom RANDOM = new SecureRandom();

  private record Authority(X509Certificate certificate, PrivateKey key) {}

  private record Place(SandboxId sandbox, Host host) {}

  private record Leaf(SSLContext context, Instant renewAt) {}

  private final Path folder;
  private final VaultKey key;
  private final Clock clock;
  private final Map<SandboxId, Authority> authorities = new Bounded<>(MAX_AUTHORITIES);
  private final Map<Place, Leaf> leaves = new Bounded<>(MAX_CONTEXTS);

  /** Forgets what was not used for longest. */
  private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;
    private final int limit;

    Bounded(int limit) {
      super(16, 0.75f, true);
      this.limit = limit;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > limit;
    }
  }

  /**
   * @param folder where what is kept of sandboxes is, in files that begin with their ids
   */
  public SandboxCertificates(Path folder, Vault vault, Clock clock) throws IOException {
    this.folder = PrivateFile.folder(folder);
    this.key = vault.key();
    this.clock = clock;
  }

  /** What the sandbox is to trust, as PEM. */
  public byte[] caCertificate(SandboxId sandbox) throws IOException {
    try {
      byte[] der = authority(sandbox).certificate().getEncoded();
      String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
      return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
          .formatted(body)
          .getBytes(StandardCharsets.US_ASCII);
    } catch (GeneralSecurityException e) {
      throw new IOException("The sandbox's certificate can not be written", e);
    }
  }

  /** To answer a program in that sandbox with in the host's place. */
  public SSLContext contextFor(SandboxId sandbox, Destination destination) throws IOException {
    var place = new Place(sandbox, destination.host());
    Instant now = clock.instant();
    synchronized (leaves) {
      Leaf leaf = leaves.get(place);
      if (leaf != null && now.isBefore(leaf.renewAt())) {
        return leaf.context();
      }
    }
    var made =
        new Leaf(
            make(authority(sandbox), destination.host()),
            now.plus(LEAF_LIFE).minus(RENEWED_BEFORE_END));
    synchronized (leaves) {
      leaves.put(place, made);
    }
    return made.context();
  }

  /** Removes what is kept for a sandbox that will not come back. */
  public void forget(SandboxId sandbox) throws IOException {
    synchronized (leaves) {
      leaves.keySet().removeIf(place -> place.sandbox().equals(sandbox));
    }
    synchronized (authorities) {
      authorities.remove(sandbox);
      PrivateFile.remove(file(sandbox));
    }
  }

  private Authority authority(SandboxId sandbox) throws IOException {
    synchronized (authorities) {
      Authority known = authorities.get(sandbox);
      if (known != null) {
        return known;
      }
      try {
        Optional<byte[]> kept = PrivateFile.read(file(sandbox));
        Authority authority = kept.isPresent() ? read(sandbox, kept.get()) : make(sandbox);
        authorities.put(sandbox, authority);
        return authority;
      } catch (GeneralSecurityException | OperatorCreationException e) {
        throw new IOException("The certificate authority of a sandbox can not be used", e);
      }
    }
  }

  private Authority make(SandboxId sandbox)
      throws IOException, GeneralSecurityException, OperatorCreationException {
    KeyPair pair = keys();
    var name = new X500Name("CN=Cove gateway of sandbox " + sandbox);
    Instant now = clock.instant();
    var builder =
        new JcaX509v3CertificateBuilder(
            name,
            serial(),
            Date.from(now.minus(SLACK)),
            Date.from(now.plus(AUTHORITY_LIFE)),
            name,
            pair.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
    builder.addExtension(
        Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
    builder.addExtension(
        Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
    builder.addExtension(
        Extension.subjectKeyIdentifier,
        false,
        new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
    var authority = new Authority(signed(builder, pair.getPrivate()), pair.getPrivate());
    byte[] certificate = authority.certificate().getEncoded();
    byte[] sealed = key.seal(pair.getPrivate().getEncoded(), associated(sandbox));
    PrivateFile.write(
        file(sandbox),
        ByteBuffer.allocate(Integer.BYTES + certificate.length + sealed.length)
            .putInt(certificate.length)
            .put(certificate)
            .put(sealed)
            .array());
    return authority;
  }

  private Authority read(SandboxId sandbox, byte[] bytes)
      throws IOException, GeneralSecurityException {
    ByteBuffer content = ByteBuffer.wrap(bytes);
    if (content.remaining() < Integer.BYTES) {
      throw new VaultException("The file %s is damaged.".formatted(file(sandbox)));
    }
    int length = content.getInt();
    if (length < 0 || length > content.remaining()) {
      throw new VaultException("The file %s is damaged.".formatted(file(sandbox)));
    }
    byte[] certificate = new byte[length];
    content.get(certificate);
    byte[] sealed = new byte[content.remaining()];
    content.get(sealed);
    return new Authority(
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(certificate)),
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(key.unseal(sealed, associated(sandbox)))));
  }

  private SSLContext make(Authority authority, Host host) throws IOException {
    try {
      KeyPair pair = keys();
      Instant now = clock.instant();
      var utilities = new JcaX509ExtensionUtils();
      var builder =
          new JcaX509v3CertificateBuilder(
              authority.certificate(),
              serial(),
              Date.from(now.minus(SLACK)),
              Date.from(now.plus(LEAF_LIFE)),
              new X500Name("CN=Cove gateway"),
              pair.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      builder.addExtension(
          Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
      builder.addExtension(
          Extension.subjectAlternativeName, false, new GeneralNames(alternativeName(host)));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          utilities.createAuthorityKeyIdentifier(authority.certificate()));
      builder.addExtension(
          Extension.subjectKeyIdentifier,
          false,
          utilities.createSubjectKeyIdentifier(pair.getPublic()));
      return context(pair.getPrivate(), signed(builder, authority.key()), authority.certificate());
    } catch (GeneralSecurityException | OperatorCreationException e) {
      throw new IOException("No certificate could be made for a host", e);
    }
  }

  private static GeneralName alternativeName(Host host) {
    return switch (host) {
      case Named(var name) -> new GeneralName(GeneralName.dNSName, name.value());
      case Literal(var address) -> new GeneralName(GeneralName.iPAddress, address.getHostAddress());
    };
  }

  private static SSLContext context(PrivateKey key, X509Certificate... chain)
      throws IOException, GeneralSecurityException {
    char[] none = new char[0];
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, none);
    store.setKeyEntry("host", key, none, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, none);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    context.getServerSessionContext().setSessionCacheSize(SESSIONS);
    return context;
  }

  private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey by)
      throws GeneralSecurityException, OperatorCreationException, CertIOException {
    return new JcaX509CertificateConverter()
        .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by)));
  }

  private static KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static BigInteger serial() {
    return new BigInteger(127, RANDOM).add(BigInteger.ONE);
  }

  private static String associated(SandboxId sandbox) {
    return "certificate authority of sandbox " + sandbox;
  }

  private Path file(SandboxId sandbox) {
    return folder.resolve(sandbox + SUFFIX);
  }
}
