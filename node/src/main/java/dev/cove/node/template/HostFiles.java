package dev.cove.node.template;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The files outside /usr that programs of the host need, by name.
 *
 * <p>A file on the list is still left out when not everybody on the host may read it, or when it
 * holds a URL with credentials: a proxy or package source with a password is somebody's secret.
 */
final class HostFiles {
  /** Files and whole folders. Home folders, ssh, shadow, machine-id and profile.d are not here. */
  private static final List<String> ALLOWED =
      List.of(
          "etc/alternatives",
          "etc/apt/apt.conf.d",
          "etc/apt/keyrings",
          "etc/apt/preferences.d",
          "etc/apt/sources.list",
          "etc/apt/sources.list.d",
          "etc/apt/trusted.gpg",
          "etc/apt/trusted.gpg.d",
          "etc/adduser.conf",
          "etc/bash.bashrc",
          "etc/ca-certificates",
          "etc/ca-certificates.conf",
          "etc/debconf.conf",
          "etc/debian_version",
          "etc/deluser.conf",
          "etc/dpkg",
          "etc/ethertypes",
          "etc/fonts",
          "etc/gai.conf",
          "etc/groff",
          "etc/host.conf",
          "etc/inputrc",
          "etc/issue",
          "etc/ld-musl-x86_64.path",
          "etc/ld.so.cache",
          "etc/ld.so.conf",
          "etc/ld.so.conf.d",
          "etc/locale.alias",
          "etc/login.defs",
          "etc/lsb-release",
          "etc/magic",
          "etc/magic.mime",
          "etc/manpath.config",
          "etc/maven/logging",
          "etc/maven/m2.conf",
          "etc/mime.types",
          "etc/mke2fs.conf",
          "etc/netconfig",
          "etc/os-release",
          "etc/pam.conf",
          "etc/pam.d",
          "etc/perl",
          "etc/profile",
          "etc/protocols",
          "etc/python3",
          "etc/rmt",
          "etc/rpc",
          "etc/security/limits.conf",
          "etc/services",
          "etc/sgml",
          "etc/shells",
          "etc/skel",
          "etc/ssl/certs",
          "etc/ssl/openssl.cnf",
          "etc/terminfo",
          "etc/ucf.conf",
          "etc/vim",
          "etc/xattr.conf",
          "etc/xml",
          "var/lib/dpkg");

  /** Versioned names, such as java-17-openjdk and python3.11. */
  private static final List<Pattern> ALLOWED_IN_ETC =
      List.of(Pattern.compile("java-[0-9]+-openjdk"), Pattern.compile("python3\\.[0-9]+"));

  private static final Pattern CREDENTIALS_IN_URL =
      Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://[^/\\s\"']*@");

  private static final long SCANNED_BYTES = 1 << 20;

  private final Path host;

  HostFiles(Path host) {
    this.host = host;
  }

  /** Changes when one of the listed files or folders does; looks one level deep. */
  String fingerprint() throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
    digest.update(Skeleton.VERSION.getBytes(StandardCharsets.UTF_8));
    for (Path relative : present()) {
      Path path = host.resolve(relative);
      addTo(digest, path);
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        try (var entries = Files.list(path)) {
          for (Path entry : (Iterable<Path>) entries.sorted()::iterator) {
            addTo(digest, entry);
          }
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest(), 0, 12);
  }

  private static void addTo(MessageDigest digest, Path path) throws IOException {
    var attributes =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String line =
        path + "\0" + attributes.size() + "\0" + attributes.lastModifiedTime().toMillis() + "\0";
    digest.update(line.getBytes(StandardCharsets.UTF_8));
  }

  void copyTo(Path root) throws IOException {
    for (Path relative : present()) {
      Path target = root.resolve(relative);
      Files.createDirectories(parentOf(target));
      copyTree(host.resolve(relative), target);
    }
  }

  private List<Path> present() throws IOException {
    var paths = new TreeSet<>(ALLOWED.stream().map(Path::of).filter(this::exists).toList());
    try (var etc = Files.list(host.resolve("etc"))) {
      for (Path entry : (Iterable<Path>) etc::iterator) {
        String name = String.valueOf(entry.getFileName());
        if (ALLOWED_IN_ETC.stream().anyMatch(allowed -> allowed.matcher(name).matches())) {
          paths.add(Path.of("etc", name));
        }
      }
    }
    return List.copyOf(paths);
  }

  private boolean exists(Path relative) {
    return Files.exists(host.resolve(relative), LinkOption.NOFOLLOW_LINKS);
  }

  private static void copyTree(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            if (!isPublic(folder)) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(to.resolve(from.relativize(folder).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            boolean link = attributes.isSymbolicLink();
            if (link || (attributes.isRegularFile() && isPublic(file) && !holdsSecret(file))) {
              Files.copy(
                  file,
                  to.resolve(from.relativize(file).toString()),
                  LinkOption.NOFOLLOW_LINKS,
                  StandardCopyOption.COPY_ATTRIBUTES);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean isPublic(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .permissions()
        .contains(PosixFilePermission.OTHERS_READ);
  }

  private static boolean holdsSecret(Path file) throws IOException {
    if (file.startsWith("/var/lib/dpkg")) {
      return false;
    }
    if (Files.size(file) > SCANNED_BYTES) {
      return !file.toString().endsWith(".cache");
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    return text.contains("PRIVATE KEY-----") || CREDENTIALS_IN_URL.matcher(text).find();
  }

  private static Path parentOf(Path path) {
    Path parent = path.getParent();
    if (parent == null) {
      throw new UncheckedIOException(new IOException(path + " has no parent"));
    }
    return parent;
  }
}
