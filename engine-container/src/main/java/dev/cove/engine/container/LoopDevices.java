package dev.cove.engine.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Loop devices as the kernel lists them. */
final class LoopDevices {
  private LoopDevices() {}

  /** The number of the device that shows that file. */
  static Optional<Integer> behind(Path file) throws IOException {
    return allBehind(file).stream()
        .findFirst()
        .map(device -> Integer.parseInt(device.getFileName().toString().substring(4)));
  }

  /** Whether something can still write to that file through a device. */
  static boolean writableBehind(Path file) throws IOException {
    for (Path device : allBehind(file)) {
      try {
        if (Files.readString(device.resolve("ro")).strip().equals("0")) {
          return true;
        }
      } catch (IOException e) {
        return true; // it goes just now, and is asked for again
      }
    }
    return false;
  }

  private static List<Path> allBehind(Path file) throws IOException {
    List<Path> behind = new ArrayList<>();
    if (!Files.exists(file)) {
      return behind;
    }
    String image = file.toRealPath().toString();
    try (var devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path device : devices) {
        if (imageOf(device).filter(image::equals).isPresent()) {
          behind.add(device);
        }
      }
    }
    return behind;
  }

  private static Optional<String> imageOf(Path device) {
    try {
      return Optional.of(Files.readString(device.resolve("loop/backing_file")).stripTrailing());
    } catch (IOException e) {
      return Optional.empty(); // it shows none, or goes just now
    }
  }
}
