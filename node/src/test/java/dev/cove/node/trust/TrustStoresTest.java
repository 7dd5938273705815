package dev.cove.node.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files of certificates as other programs read and write them. */
class TrustStoresTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final String ALIAS = "debian:cove-sandbox-ca.pem";

  private static List<X509Certificate> roots() throws Exception {
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    @Nullable KeyStore usual = null;
    factory.init(usual);
    return List.of(((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers());
  }

  private static byte[] store(char[] password, X509Certificate... certificates) throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(null, password);
    for (int i = 0; i < certificates.length; i++) {
      store.setCertificateEntry("debian:root-" + i, certificates[i]);
    }
    return bytes(store, password);
  }

  private static byte[] bytes(KeyStore store, char[] password) throws Exception {
    var out = new ByteArrayOutputStream();
    store.store(out, password);
    return out.toByteArray();
  }

  private static KeyStore read(byte[] bytes) throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(new ByteArrayInputStream(bytes), PASSWORD);
    return store;
  }

  @Test
  void javas_store_gets_one_certificate_and_keeps_the_others() throws Exception {
    List<X509Certificate> roots = roots();
    byte[] before = store(PASSWORD, roots.get(0), roots.get(1));
    byte[] once = JavaTrustStore.with(before, ALIAS, roots.get(2).getEncoded()).orElseThrow();
    KeyStore store = read(once);
    assertThat(Collections.list(store.aliases()))
        .containsExactlyInAnyOrder("debian:root-0", "debian:root-1", ALIAS);
    assertThat(store.getCertificate(ALIAS)).isEqualTo(roots.get(2));
    assertThat(store.getCertificate("debian:root-1")).isEqualTo(roots.get(1));
    assertThat(JavaTrustStore.with(once, ALIAS, roots.get(2).getEncoded()).orElseThrow())
        .as("what is there already is left as it is")
        .isEqualTo(once);
    byte[] other = JavaTrustStore.with(once, ALIAS, roots.get(3).getEncoded()).orElseThrow();
    assertThat(read(other).getCertificate(ALIAS)).isEqualTo(roots.get(3));
    assertThat(read(other).size()).isEqualTo(3);
  }

  @Test
  void a_store_that_is_not_the_usual_one_is_left_alone() throws Exception {
    X509Certificate root = roots().getFirst();
    byte[] certificate = root.getEncoded();
    assertThat(JavaTrustStore.with(store("other-one".toCharArray(), root), ALIAS, certificate))
        .as("a password of somebody's own")
        .isEmpty();
    KeyStore withKey = KeyStore.getInstance("JKS");
    withKey.load(null, PASSWORD);
    withKey.setKeyEntry(
        "key",
        KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate(),
        PASSWORD,
        new Certificate[] {root});
    assertThat(JavaTrustStore.with(bytes(withKey, PASSWORD), ALIAS, certificate)).isEmpty();
    KeyStore pkcs12 = KeyStore.getInstance("PKCS12");
    pkcs12.load(null, PASSWORD);
    pkcs12.setCertificateEntry("a", root);
    assertThat(JavaTrustStore.with(bytes(pkcs12, PASSWORD), ALIAS, certificate)).isEmpty();
    assertThat(JavaTrustStore.with(new byte[0], ALIAS, certificate)).isEmpty();
  }

  @Test
  void a_damaged_store_is_noticed_wherever_it_is_damaged() throws Exception {
    byte[] whole = store(PASSWORD, roots().getFirst());
    byte[] certificate = roots().get(1).getEncoded();
    for (int length = 0; length < whole.length; length += 7) {
      assertThat(JavaTrustStore.with(Arrays.copyOf(whole, length), ALIAS, certificate)).isEmpty();
    }
    var random = new Random(7);
    for (int i = 0; i < 200; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
      assertThat(JavaTrustStore.with(damaged, ALIAS, certificate)).isEmpty();
    }
  }

  @Test
  void openssl_agrees_on_the_name_of_a_certificate() throws Exception {
    int compared = 0;
    for (X509Certificate root : roots().subList(0, 12)) {
      var hash = SubjectHash.of(root.getSubjectX500Principal());
      if (hash.isPresent()) {
        assertThat(hash).contains(opensslHash(root));
        compared++;
      }
    }
    assertThat(compared).isPositive();
  }

  private static String opensslHash(X509Certificate certificate) throws Exception {
    Process openssl =
        new ProcessBuilder("openssl", "x509", "-noout", "-subject_hash")
            .redirectErrorStream(true)
            .start();
    try (var in = openssl.getOutputStream()) {
      in.write(CertificateText.of(certificate).getBytes(StandardCharsets.US_ASCII));
    }
    String said = new String(openssl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(openssl.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return said.strip();
  }

  @Test
  void a_certificate_becomes_text_and_back() throws Exception {
    X509Certificate root = roots().getFirst();
    assertThat(CertificateText.parse(CertificateText.of(root))).contains(root);
    assertThat(CertificateText.parse("nothing of that kind")).isEmpty();
    assertThat(PublicRoots.pem().split("BEGIN CERTIFICATE", -1)).hasSize(roots().size() + 1);
  }
}
