package dev.cove.node.trust;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.stream.Collectors;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The certificate authorities that this JDK trusts, for sandboxes that bring none of their own. */
final class PublicRoots {
  private PublicRoots() {}

  static String pem() {
    return Holder.PEM;
  }

  /** Read when the first sandbox needs them. */
  private static final class Holder {
    private static final String PEM = read();

    private static String read() {
      try {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        @Nullable KeyStore usual = null;
        factory.init(usual);
        return Arrays.stream(factory.getTrustManagers())
            .filter(X509TrustManager.class::isInstance)
            .map(X509TrustManager.class::cast)
            .flatMap(manager -> Arrays.stream(manager.getAcceptedIssuers()))
            .map(CertificateText::of)
            .collect(Collectors.joining());
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("This JDK's trust store cannot be read", e);
      }
    }
  }
}
