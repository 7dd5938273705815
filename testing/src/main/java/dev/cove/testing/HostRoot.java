package dev.cove.testing;

import dev.cove.engine.RootFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A root file system for tests, made in a moment: a small skeleton of its own and the host's {@code
 * /usr}. Works with no download.
 */
public final class HostRoot {
  private HostRoot() {}

  /** Makes the skeleton in {@code folder}, which must not exist. */
  public static RootFs in(Path folder) throws IOException {
    Files.createDirectories(folder);
    open(folder, "rwxr-xr-x");
    for (String name :
        List.of("proc", "dev", "sys", "run", "root", "home", "home/user", "var", "etc", "usr")) {
      open(Files.createDirectory(folder.resolve(name)), "rwxr-xr-x");
    }
    open(Files.createDirectory(folder.resolve("tmp")), "rwxrwxrwx");
    open(Files.createDirectory(folder.resolve("var/tmp")), "rwxrwxrwx");
    for (String name : List.of("bin", "sbin", "lib", "lib64")) {
      Files.createSymbolicLink(folder.resolve(name), Path.of("usr", name));
    }
    Files.writeString(
        folder.resolve("etc/passwd"),
        """
        root:x:0:0:root:/root:/bin/sh
        user:x:1000:1000:user:/home/user:/bin/sh
        nobody:x:65534:65534:nobody:/nonexistent:/bin/false
        """);
    Files.writeString(
        folder.resolve("etc/group"),
        """
        root:x:0:
        tty:x:5:
        user:x:1000:
        nogroup:x:65534:
        """);
    Files.setAttribute(folder.resolve("home/user"), "unix:uid", 1000);
    Files.setAttribute(folder.resolve("home/user"), "unix:gid", 1000);
    return new RootFs(List.of(folder), List.of(new RootFs.Graft("/usr", Path.of("/usr"))));
  }

  private static void open(Path folder, String rights) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(rights));
  }
}
