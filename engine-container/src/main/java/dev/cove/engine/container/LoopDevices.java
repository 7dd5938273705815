package dev.cove.engine.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Loop devices as the kernel lists them. */
final class LoopDevices {
  private LoopDevices() {}

  /** The number of the device that shows that file. */
  static Optional<Integer> behind(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Path image = file.toRealPath();
    try (var devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path device : devices) {
        Path backing = device.resolve("loop/backing_file");
        if (Files.exists(backing) && Files.readAllLines(backing).contains(image.toString())) {
          return Optional.of(Integer.parseInt(device.getFileName().toString().substring(4)));
        }
      }
    }
    return Optional.empty();
  }
}
