package dev.cove.node.template;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The parts of a root file system that are the same for everybody: folders and accounts. */
final class Skeleton {
  /** Part of the fingerprint; to be raised whenever this class or the list of files changes. */
  static final String VERSION = "1";

  private static final int USER_ID = 1000;

  private Skeleton() {}

  static void complete(Path root) throws IOException {
    for (String name :
        new String[] {
          "dev",
          "proc",
          "sys",
          "run",
          "run/lock",
          "mnt",
          "media",
          "opt",
          "srv",
          "home",
          "var/log",
          "var/cache/apt/archives/partial",
          "var/lib/apt/lists/partial",
          "var/lib/misc",
          "var/mail"
        }) {
      folder(root.resolve(name), "rwxr-xr-x");
    }
    folder(root.resolve("tmp"), "rwxrwxrwx");
    folder(root.resolve("var/tmp"), "rwxrwxrwx");
    Files.setAttribute(root.resolve("tmp"), "unix:mode", 01777);
    Files.setAttribute(root.resolve("var/tmp"), "unix:mode", 01777);
    folder(root.resolve("root"), "rwx------");
    Files.createSymbolicLink(root.resolve("var/run"), Path.of("../run"));
    Files.createSymbolicLink(root.resolve("var/lock"), Path.of("../run/lock"));

    for (String name : new String[] {"passwd", "group", "nsswitch.conf", "hosts"}) {
      file(root.resolve("etc").resolve(name), name);
    }
    for (String empty : new String[] {"resolv.conf", "fstab", "environment"}) {
      Files.writeString(root.resolve("etc").resolve(empty), "");
    }
    Files.createSymbolicLink(root.resolve("etc/mtab"), Path.of("../proc/self/mounts"));
    home(root);
    root.toFile().setReadable(true, false);
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void home(Path root) throws IOException {
    Path home = root.resolve("home/user");
    folder(home, "rwxr-xr-x");
    Path skeleton = root.resolve("etc/skel");
    if (Files.isDirectory(skeleton)) {
      try (var files = Files.newDirectoryStream(skeleton)) {
        for (Path file : files) {
          if (Files.isRegularFile(file)) {
            Path copy = home.resolve(String.valueOf(file.getFileName()));
            Files.copy(file, copy);
            own(copy);
          }
        }
      }
    }
    own(home);
  }

  private static void own(Path path) throws IOException {
    Files.setAttribute(path, "unix:uid", USER_ID);
    Files.setAttribute(path, "unix:gid", USER_ID);
  }

  private static void folder(Path path, String permissions) throws IOException {
    Files.createDirectories(path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  private static void file(Path path, String resource) throws IOException {
    try (InputStream content = Skeleton.class.getResourceAsStream(resource)) {
      if (content == null) {
        throw new IllegalStateException("The resource " + resource + " is not in the jar");
      }
      Files.createDirectories(path.resolveSibling("."));
      Files.copy(content, path);
    }
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
  }
}
