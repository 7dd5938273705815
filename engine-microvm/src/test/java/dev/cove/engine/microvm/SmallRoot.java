package dev.cove.engine.microvm;

import dev.cove.engine.RootFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A root file system with a few of the host's programs, small enough to become a disk in a moment.
 */
final class SmallRoot {
  private static final List<String> PROGRAMS =
      List.of(
          "sh",
          "cat",
          "echo",
          "ls",
          "id",
          "uname",
          "hostname",
          "sleep",
          "sync",
          "dd",
          "date",
          "wc",
          "grep",
          "mount",
          "stat",
          "touch",
          "rm",
          "tr",
          "perl");

  private static final Pattern LIBRARY = Pattern.compile("(/[^ ]+) \\(0x");

  private SmallRoot() {}

  static RootFs in(Path folder) throws IOException {
    for (String name :
        List.of("proc", "dev", "sys", "run", "root", "home/user", "var/tmp", "etc", "usr/bin")) {
      Files.createDirectories(folder.resolve(name));
    }
    Files.setPosixFilePermissions(
        Files.createDirectory(folder.resolve("tmp")), PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createSymbolicLink(folder.resolve("bin"), Path.of("usr/bin"));
    Files.createSymbolicLink(folder.resolve("lib"), Path.of("usr/lib"));
    Files.createSymbolicLink(folder.resolve("lib64"), Path.of("usr/lib64"));
    Files.writeString(
        folder.resolve("etc/passwd"),
        "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n");
    Files.writeString(folder.resolve("etc/group"), "root:x:0:\ntty:x:5:\nuser:x:1000:\n");
    Files.setAttribute(folder.resolve("home/user"), "unix:uid", 1000);
    for (String program : PROGRAMS) {
      Path found = Path.of("/usr/bin", program).toRealPath();
      copy(found, folder.resolve("usr/bin").resolve(program));
      var libraries = LIBRARY.matcher(Programs.run(List.of("ldd", found.toString())));
      while (libraries.find()) {
        String name = libraries.group(1).replaceFirst("^/lib", "/usr/lib");
        copy(Path.of(name).toRealPath(), folder.resolve(name.substring(1)));
      }
    }
    copyTree(Path.of("/usr/lib/x86_64-linux-gnu/perl-base"), folder);
    return new RootFs(List.of(folder), List.of());
  }

  private static void copyTree(Path tree, Path root) throws IOException {
    try (var files = Files.walk(tree)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        copy(file, root.resolve(file.toString().substring(1)));
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    if (!Files.exists(to)) {
      Files.copy(from, to);
      Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }
}
