package dev.cove.engine.microvm;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * Debian's kernel for machines in a cloud, unpacked somewhere: nothing of it runs on the host.
 *
 * @param image what QEMU boots
 * @param modules the folder with its drivers
 */
record GuestKernel(Path image, Path modules) {
  /** What a machine has, and a file system to put layers together. */
  private static final List<String> WANTED =
      List.of("virtio_pci", "virtio_console", "virtio_scsi", "sd_mod", "virtio_net", "overlay");

  private static final String IMAGE = "vmlinuz-";
  private static final String DEPENDS = "\0depends=";

  /** The newest that one of the folders has, each laid out like a root file system. */
  static Optional<GuestKernel> find(List<Path> roots) {
    return roots.stream().flatMap(root -> newest(root).stream()).findFirst();
  }

  private static Optional<GuestKernel> newest(Path root) {
    Path boot = root.resolve("boot");
    if (!Files.isDirectory(boot)) {
      return Optional.empty();
    }
    try (var files = Files.newDirectoryStream(boot, IMAGE + "*cloud*")) {
      var found = new ArrayList<GuestKernel>();
      for (Path file : files) {
        String version = file.getFileName().toString().substring(IMAGE.length());
        found.add(new GuestKernel(file, root.resolve("lib/modules").resolve(version)));
      }
      return found.stream()
          .filter(kernel -> Files.isDirectory(kernel.modules()))
          .max(Comparator.comparing(kernel -> kernel.image().getFileName().toString()));
    } catch (IOException e) {
      throw new EngineException("Could not list " + boot, e);
    }
  }

  /** The drivers that are needed, each after those that it needs, by their names. */
  SequencedMap<String, byte[]> drivers() {
    Map<String, Path> all;
    try (var files = Files.walk(modules)) {
      all =
          files
              .filter(file -> file.toString().endsWith(".ko"))
              .collect(Collectors.toMap(GuestKernel::nameOf, file -> file, (first, _) -> first));
    } catch (IOException e) {
      throw new EngineException("Could not list " + modules, e);
    }
    var ordered = new LinkedHashMap<String, byte[]>();
    WANTED.forEach(name -> add(name, all, ordered));
    return ordered;
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString().replace(".ko", "").replace('-', '_');
  }

  private static void add(String name, Map<String, Path> all, Map<String, byte[]> ordered) {
    Path file = all.get(name);
    if (ordered.containsKey(name) || file == null) {
      return; // built into the kernel, where there is no file
    }
    try {
      byte[] bytes = Files.readAllBytes(file);
      dependencies(bytes).forEach(needed -> add(needed, all, ordered));
      ordered.put(name, bytes);
    } catch (IOException e) {
      throw new EngineException("Could not read " + file, e);
    }
  }

  /** As the kernel's build wrote it down in the file itself. */
  private static List<String> dependencies(byte[] module) {
    String text = new String(module, StandardCharsets.ISO_8859_1);
    int at = text.indexOf(DEPENDS);
    if (at < 0) {
      return List.of();
    }
    int from = at + DEPENDS.length();
    String names = text.substring(from, text.indexOf('\0', from));
    return names.isEmpty() ? List.of() : List.of(names.replace('-', '_').split(","));
  }
}
