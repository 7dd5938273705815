package dev.cove.bench.measure;

import dev.cove.bench.peer.Command;
import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.TemplateBuild;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pulls an image of 300 MB from a registry on this machine, beside tar with the same layers. */
final class ImagePull implements Measurement {
  private static final int LAYERS = 3;
  private static final long LAYER_BYTES = 100_000_000;
  private static final int ROUNDS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Override
  public String name() {
    return "pull";
  }

  @Override
  public String group() {
    return "storage";
  }

  @Override
  public String title() {
    return "Pull of an image of 300 MB from a registry on this machine";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    Path folder = bench.folder("pull");
    List<ImageRegistry.Layer> layers = layers(folder);
    bench.say("300 MB of this machine's own files are packed");
    var pulled = new ArrayList<Duration>();
    var unpacked = new ArrayList<Duration>();
    try (ImageRegistry registry = ImageRegistry.start(folder);
        BenchServer server = bench.startServer(Map.of())) {
      String image = registry.push("bench", layers);
      for (int i = 0; i <= ROUNDS; i++) {
        Duration ours = pull(server, image);
        Duration theirs = unpack(layers, folder.resolve("unpacked"));
        if (i > 0) { // the first fills the caches
          pulled.add(ours);
          unpacked.add(theirs);
        }
      }
    }
    List<Finding> findings =
        List.of(
            new Timing("cove", "cove template build --image", Samples.of(pulled, 0)),
            new Timing("tar", "tar xz of its layers", Samples.of(unpacked, 0)));
    return new Section(
        name(), title(), findings, List.of("The layers are gzip's, with files of this machine."));
  }

  private static Duration pull(BenchServer server, String image) {
    var watch = new Stopwatch();
    server.cove().templates().build(TemplateBuild.fromImage(image).name("pulled"));
    Duration took = watch.elapsed();
    server.cove().templates().remove("pulled");
    long _ = server.cove().prune(); // the next one finds nothing of it
    return took;
  }

  private static Duration unpack(List<ImageRegistry.Layer> layers, Path target)
      throws IOException, InterruptedException {
    Files.createDirectory(target);
    var watch = new Stopwatch();
    for (ImageRegistry.Layer layer : layers) {
      require("tar", "-xzf", layer.compressed().toString(), "-C", target.toString());
    }
    Duration took = watch.elapsed();
    require("rm", "-rf", target.toString());
    return took;
  }

  private static List<ImageRegistry.Layer> layers(Path folder)
      throws IOException, InterruptedException {
    var layers = new ArrayList<ImageRegistry.Layer>();
    List<List<String>> files = someFiles();
    for (int i = 0; i < files.size(); i++) {
      Path list = Files.write(folder.resolve("files-" + i), files.get(i));
      Path tar = folder.resolve("layer-" + i + ".tar");
      require("tar", "-C", "/", "-cf", tar.toString(), "-T", list.toString());
      require("gzip", "--keep", tar.toString());
      layers.add(new ImageRegistry.Layer(tar, Path.of(tar + ".gz")));
    }
    return layers;
  }

  /** Ordinary files of this machine, as many as make layers of the wanted size. */
  private static List<List<String>> someFiles() throws IOException {
    var all = new ArrayList<List<String>>();
    var names = new ArrayList<String>();
    long bytes = 0;
    try (var walk = Files.walk(Path.of("/usr"))) {
      var files =
          walk.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).iterator();
      while (all.size() < LAYERS && files.hasNext()) {
        Path file = files.next();
        long size = Files.size(file);
        if (size > LAYER_BYTES / 4 || file.toString().contains("\n")) {
          continue;
        }
        names.add(Path.of("/").relativize(file).toString());
        bytes += size;
        if (bytes >= LAYER_BYTES) {
          all.add(List.copyOf(names));
          names.clear();
          bytes = 0;
        }
      }
    }
    if (all.size() < LAYERS) {
      throw new IOException("/usr has less than %d bytes".formatted(LAYERS * LAYER_BYTES));
    }
    return all;
  }

  private static void require(String... command) throws IOException, InterruptedException {
    String _ = Command.require(LIMIT, List.of(command));
  }
}
