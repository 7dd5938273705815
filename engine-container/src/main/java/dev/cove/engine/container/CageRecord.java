package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * What is written in a sandbox's folder before anything else is made for it.
 *
 * <p>Not forced to disk: all it describes ends with the kernel that runs now, and that kernel keeps
 * what was written even when this process is killed.
 *
 * @param bootId names the run of the kernel; after another boot nothing of the cage runs
 * @param firstId the first of the sandbox's user ids
 */
record CageRecord(String bootId, int firstId) {
  private static final String RECORD = "record";
  private static final String PROCESS = "process";

  /**
   * What is added once the agent runs.
   *
   * @param loopDevice the number of the image's loop device, or -1
   */
  record Running(ProcessKey process, int loopDevice) {}

  static String currentBootId() {
    try {
      return Files.readAllLines(Path.of("/proc/sys/kernel/random/boot_id")).getFirst();
    } catch (IOException e) {
      throw new EngineException("Could not read the boot id", e);
    }
  }

  void write(Path folder) throws IOException {
    Files.writeString(folder.resolve(RECORD), bootId + " " + Integer.toUnsignedString(firstId));
  }

  static void writeRunning(Path folder, Running running) throws IOException {
    String text =
        "%d %d %d ."
            .formatted(
                running.process().pid(), running.process().startTime(), running.loopDevice());
    Path fresh = folder.resolve(PROCESS + ".new");
    Files.writeString(fresh, text); // where the disk is full, the one before stays
    Files.move(fresh, folder.resolve(PROCESS), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Says that nothing of the cage runs any more. */
  static void remove(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(PROCESS));
    Files.deleteIfExists(folder.resolve(RECORD));
  }

  static Optional<CageRecord> find(Path folder) {
    String[] words = words(folder.resolve(RECORD));
    if (words.length != 2) {
      return Optional.empty();
    }
    return Optional.of(new CageRecord(words[0], Integer.parseUnsignedInt(words[1])));
  }

  /** Absent, too, where the process was killed in the middle of writing it. */
  static Optional<Running> findRunning(Path folder) {
    String[] words = words(folder.resolve(PROCESS));
    if (words.length != 4 || !words[3].equals(".")) {
      return Optional.empty();
    }
    var process = new ProcessKey(Integer.parseInt(words[0]), Long.parseLong(words[1]));
    return Optional.of(new Running(process, Integer.parseInt(words[2])));
  }

  private static String[] words(Path file) {
    try {
      return Files.readString(file).strip().split(" ");
    } catch (IOException e) {
      return new String[0]; // never written
    }
  }
}
