package dev.cove.node.trust;

import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes programs in a sandbox trust the sandbox's own certificate authority, in the places where an
 * administrator would put one: as a file from which Debian's and Alpine's {@code
 * update-ca-certificates} makes the rest, and in what it makes of it, so that nothing need be run.
 *
 * <p>Files of the sandbox are read and written by its agent, with the rights of root in there. A
 * sandbox that began with the files of another has that one's authority in them: it is taken out
 * for its own.
 */
public final class SandboxTrust {
  /** All that is trusted, as one file; there is one in every sandbox that needs it. */
  private static final String BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

  private static final String OWN = "/usr/local/share/ca-certificates/cove-sandbox-ca.crt";
  private static final String FOLDER = "/etc/ssl/certs";
  private static final String LINK = "cove-sandbox-ca.pem";
  private static final String JAVA = "/etc/ssl/certs/java/cacerts";

  /** As Debian's own hook calls it. */
  private static final String JAVA_ALIAS = "debian:" + LINK;

  /** Where other distributions than Debian have theirs. */
  private static final List<String> OTHER_BUNDLES =
      List.of("/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem");

  private static final int MAX_FILE = 4 << 20;
  private static final int MAX_CERTIFICATE = 16 << 10;
  private static final OptionalInt PUBLIC = OptionalInt.of(0b110_100_100);
  private static final int MISSING = 2;
  private static final int EXISTS = 17;
  private static final int NO_FOLDER = 20;

  /** For programs that bring certificate authorities of their own and look nowhere else. */
  private static final Map<String, String> VARIABLES =
      Map.of(
          "NODE_EXTRA_CA_CERTS", OWN,
          "SSL_CERT_FILE", BUNDLE,
          "REQUESTS_CA_BUNDLE", BUNDLE,
          "PIP_CERT", BUNDLE,
          "CURL_CA_BUNDLE", BUNDLE,
          "GIT_SSL_CAINFO", BUNDLE);

  private final GuestFiles files;
  private final String text;
  private final X509Certificate authority;

  /**
   * @param pem the authority's certificate
   */
  public SandboxTrust(GuestFiles filesAsRoot, byte[] pem) {
    this.files = filesAsRoot;
    this.text = string(pem);
    this.authority =
        CertificateText.parse(text)
            .orElseThrow(() -> new IllegalArgumentException("That is not a certificate"));
  }

  /** What a command's environment has where nothing else is said there. */
  public static Map<String, String> variables() {
    return VARIABLES;
  }

  /**
   * Puts it into every place; what is there already stays as it is.
   *
   * @throws CoveException GUEST_REFUSED when the sandbox's files do not allow it
   */
  public void establish() {
    try {
      Optional<String> before =
          read(OWN, MAX_CERTIFICATE).map(SandboxTrust::string).filter(old -> !old.equals(text));
      bundles(before);
      java();
      links(before.flatMap(CertificateText::parse));
      write(OWN, text.getBytes(StandardCharsets.US_ASCII));
    } catch (GuestException e) {
      throw new CoveException(
          ErrorCode.GUEST_REFUSED,
          "The sandbox cannot be made to trust its own certificate authority: " + e.getMessage(),
          e);
    }
  }

  private void bundles(Optional<String> before) {
    Optional<String> usual = read(BUNDLE, MAX_FILE).map(SandboxTrust::string);
    Optional<String> other = Optional.empty();
    for (String path : OTHER_BUNDLES) {
      Optional<String> found = read(path, MAX_FILE).map(SandboxTrust::string);
      found.ifPresent(bundle -> extend(path, bundle, before));
      other = other.or(() -> found);
    }
    if (usual.isPresent()) {
      extend(BUNDLE, usual.get(), before);
    } else {
      extend(BUNDLE, other.orElseGet(PublicRoots::pem), before);
    }
  }

  private void extend(String path, String bundle, Optional<String> before) {
    String rest = before.map(old -> bundle.replace(old, "")).orElse(bundle);
    if (rest.equals(bundle) && bundle.contains(text)) {
      return;
    }
    String separated = rest.isEmpty() || rest.endsWith("\n") ? rest : rest + "\n";
    write(path, (separated + text).getBytes(StandardCharsets.ISO_8859_1));
  }

  private void java() {
    read(JAVA, MAX_FILE)
        .flatMap(
            store -> JavaTrustStore.with(store, JAVA_ALIAS, CertificateText.bytesOf(authority)))
        .ifPresent(store -> write(JAVA, store));
  }

  private void links(Optional<X509Certificate> before) {
    before.flatMap(SandboxTrust::place).ifPresent(this::unlink);
    link(FOLDER + "/" + LINK, OWN);
    place(authority).ifPresent(path -> link(path, LINK));
  }

  /** Where OpenSSL looks for it when it knows only the folder. */
  private static Optional<String> place(X509Certificate certificate) {
    return SubjectHash.of(certificate.getSubjectX500Principal())
        .map(hash -> FOLDER + "/" + hash + ".0");
  }

  private void unlink(String path) {
    try {
      files.remove(path, false);
    } catch (GuestException e) {
      if (e.errno() != MISSING && e.errno() != NO_FOLDER) {
        throw e;
      }
    }
  }

  private void link(String path, String target) {
    try {
      files.symlink(path, target);
    } catch (GuestException e) {
      if (e.errno() != EXISTS) {
        throw e;
      }
    }
  }

  private Optional<byte[]> read(String path, int limit) {
    try (FileContent file = files.read(path, 0, limit + 1L)) {
      byte[] content = file.stream().readNBytes(limit + 1);
      if (content.length > limit) {
        throw new CoveException(
            ErrorCode.GUEST_REFUSED,
            "The sandbox cannot be made to trust its own certificate authority: %s has more than %d"
                    .formatted(path, limit)
                + " bytes");
      }
      return Optional.of(content);
    } catch (GuestException e) {
      if (e.errno() == MISSING || e.errno() == NO_FOLDER) {
        return Optional.empty();
      }
      throw e;
    } catch (IOException e) {
      throw new CoveException(ErrorCode.GUEST_UNREACHABLE, path + " could not be read inside", e);
    }
  }

  private void write(String path, byte[] content) {
    files.write(path, new ByteArrayInputStream(content), PUBLIC, true);
  }

  /** Every byte as one character: whatever is between the certificates stays what it is. */
  private static String string(byte[] content) {
    return new String(content, StandardCharsets.ISO_8859_1);
  }
}
