package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TemplateBuild;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Installs a package of Debian's inside a sandbox, and in the same root file system through an
 * overlay of the host's. The packages are fetched before: only unpacking and configuring is timed.
 */
final class PackageInstall implements Measurement {
  private static final String PACKAGE = "git";
  private static final String TEMPLATE = "bench-debian";
  private static final int ROUNDS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int GZIP = 0x1f8b;
  private static final String INSTALL =
      "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
          + " /var/debs/*.deb >/var/install.log 2>&1 || { cat /var/install.log; exit 1; }";

  @Override
  public String name() {
    return "apt";
  }

  @Override
  public String group() {
    return "storage";
  }

  @Override
  public String title() {
    return "apt-get install of " + PACKAGE + ", fetched before";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    Path folder = bench.folder("apt");
    var inside = new ArrayList<Duration>();
    var overlay = new ArrayList<Duration>();
    try (BenchServer server = bench.startServer(Map.of())) {
      server.cove().templates().build(TemplateBuild.fromDebian().name(TEMPLATE));
      Path root = unpackTemplate(server, folder);
      Path debs = fetch(root, folder);
      bench.say("the template stands and the packages are there");
      for (int i = 0; i <= ROUNDS; i++) {
        Duration here = insideSandbox(server, folder);
        Duration there = throughOverlay(folder, root, debs);
        if (i > 0) { // the first fills the caches
          inside.add(here);
          overlay.add(there);
        }
      }
    }
    List<Finding> findings =
        List.of(
            new Timing("inside", "in a sandbox", Samples.of(inside, 0)),
            new Timing("overlay", "on the host, through overlayfs", Samples.of(overlay, 0)));
    return new Section(
        name(), title(), findings, List.of("Both begin with the same Debian, in turns."));
  }

  /** What a sandbox of the template sees, as a folder of the host. */
  private static Path unpackTemplate(BenchServer server, Path folder)
      throws IOException, InterruptedException {
    Path archive = folder.resolve("image.tar");
    try (var out = Files.newOutputStream(archive)) {
      server.cove().moves().writeImage(TEMPLATE, out);
    }
    Path image = Files.createDirectory(folder.resolve("image"));
    require("tar", "-xf", archive.toString(), "-C", image.toString());
    List<Path> layers = new ArrayList<>();
    try (var blobs = Files.list(image.resolve("blobs/sha256"))) {
      for (Path blob : blobs.toList()) {
        if (isCompressed(blob)) {
          layers.add(blob);
        }
      }
    }
    if (layers.size() != 1) {
      throw new IOException("The template has %d layers instead of one".formatted(layers.size()));
    }
    Path root = Files.createDirectory(folder.resolve("root"));
    require("tar", "--numeric-owner", "-xpzf", layers.getFirst().toString(), "-C", root.toString());
    return root;
  }

  private static boolean isCompressed(Path blob) throws IOException {
    try (InputStream in = Files.newInputStream(blob)) {
      return (in.read() << 8 | in.read()) == GZIP;
    }
  }

  /** From the machine's own sources, for that root, with nothing of the machine changed. */
  private static Path fetch(Path root, Path folder) throws IOException, InterruptedException {
    Path lists = folder.resolve("lists");
    Path cache = folder.resolve("cache");
    Path archives = cache.resolve("archives");
    Files.createDirectories(lists.resolve("partial"));
    Files.createDirectories(archives.resolve("partial"));
    List<String> apt =
        List.of(
            "apt-get",
            "-o",
            "Dir::State::status=" + root.resolve("var/lib/dpkg/status"),
            "-o",
            "Dir::State::lists=" + lists,
            "-o",
            "Dir::Cache=" + cache,
            "-o",
            "APT::Sandbox::User=root",
            "-qq");
    require(with(apt, "update"));
    require(with(apt, "install", "-y", "--download-only", "--no-install-recommends", PACKAGE));
    require(
        "tar",
        "-C",
        archives.toString(),
        "--exclude=partial",
        "--exclude=lock",
        "-czf",
        folder.resolve("debs.tar.gz").toString(),
        ".");
    return archives;
  }

  private static String[] with(List<String> command, String... more) {
    var words = new ArrayList<>(command);
    words.addAll(List.of(more));
    return words.toArray(String[]::new);
  }

  private static Duration insideSandbox(BenchServer server, Path folder) throws IOException {
    try (Sandbox box =
            server.cove().sandboxes().create(CreateOptions.defaults().template(TEMPLATE));
        InputStream debs = Files.newInputStream(folder.resolve("debs.tar.gz"))) {
      box.exec(Command.of("mkdir", "/var/debs").user("root"));
      box.files().as("root").uploadArchive("/var/debs", debs);
      var watch = new Stopwatch();
      var result = box.exec(Command.shell(INSTALL).user("root").timeout(LIMIT));
      Duration took = watch.elapsed();
      if (result.exitCode() != 0) {
        throw new IOException("The packages could not be installed inside: " + result.stdout());
      }
      return took;
    }
  }

  private static Duration throughOverlay(Path folder, Path root, Path debs)
      throws IOException, InterruptedException {
    for (String part : List.of("upper", "work", "merged")) {
      Files.createDirectory(folder.resolve(part));
    }
    Files.createDirectories(folder.resolve("upper/var"));
    require("cp", "-r", debs.toString(), folder.resolve("upper/var/debs").toString());
    String script =
        """
        set -e
        cd "$0"
        mount -t overlay overlay -o "lowerdir=$1,upperdir=upper,workdir=work" merged
        mount --bind /dev merged/dev
        mount -t proc proc merged/proc
        exec chroot merged /bin/sh -c "$2"
        """;
    var watch = new Stopwatch();
    require(
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "sh",
        "-c",
        script,
        folder.toString(),
        root.toString(),
        INSTALL);
    Duration took = watch.elapsed();
    for (String part : List.of("upper", "work", "merged")) {
      require("rm", "-rf", "--one-file-system", folder.resolve(part).toString());
    }
    return took;
  }

  private static void require(String... command) throws IOException, InterruptedException {
    String _ = dev.cove.bench.peer.Command.require(LIMIT, List.of(command));
  }
}
