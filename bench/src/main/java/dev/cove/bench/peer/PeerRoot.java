package dev.cove.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The root file system that all contenders share: the host's /usr read-only, as in Cove's {@code
 * host} template, in an otherwise empty tree.
 *
 * @param skeleton the empty tree: mount points, and the links by which /bin leads into /usr
 * @param bound host folders to be seen read-only at the same place
 */
record PeerRoot(Path skeleton, List<String> bound) {
  private static final List<String> MOUNT_POINTS =
      List.of("usr", "proc", "dev", "sys", "tmp", "etc", "home");
  private static final List<String> USR_FOLDERS =
      List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");

  static PeerRoot build(Path skeleton) throws IOException {
    for (String folder : MOUNT_POINTS) {
      Files.createDirectories(skeleton.resolve(folder));
    }
    var bound = new ArrayList<String>();
    bound.add("/usr");
    for (String name : USR_FOLDERS) {
      Path onHost = Path.of("/", name);
      if (Files.isSymbolicLink(onHost)) {
        Files.createSymbolicLink(skeleton.resolve(name), Files.readSymbolicLink(onHost));
      } else if (Files.isDirectory(onHost)) {
        // A host whose /usr was never merged keeps real folders here.
        Files.createDirectories(skeleton.resolve(name));
        bound.add(onHost.toString());
      }
    }
    return new PeerRoot(skeleton, List.copyOf(bound));
  }

  /** The links of the skeleton, as name and target. */
  List<Link> links() throws IOException {
    var links = new ArrayList<Link>();
    for (String name : USR_FOLDERS) {
      Path link = skeleton.resolve(name);
      if (Files.isSymbolicLink(link)) {
        links.add(new Link("/" + name, Files.readSymbolicLink(link).toString()));
      }
    }
    return links;
  }

  record Link(String name, String target) {}
}
