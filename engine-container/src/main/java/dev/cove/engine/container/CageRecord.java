package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.meter.Moment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What is written in a sandbox's folder before anything else is made for it.
 *
 * <p>Not forced to disk: all it describes ends with the kernel that runs now, and that kernel keeps
 * what was written even when this process is killed.
 *
 * @param bootId names the run of the kernel; after another boot nothing of the cage runs
 * @param firstId the first of the sandbox's user ids
 * @param since when it was written, in nanoseconds since that boot: tells the cages of one sandbox
 *     apart; 0 where an older version wrote it
 */
record CageRecord(String bootId, int firstId, long since) {
  private static final String RECORD = "record";

  /** Grows when whoever knows only the one before would do harm. Records without one have 1. */
  private static final int FORMAT = 2;

  private static final String PROCESS = "process";

  /**
   * What is added once the agent runs.
   *
   * @param loopDevice the number of the image's loop device, or -1
   */
  record Running(ProcessKey process, int loopDevice) {}

  /** Of something that runs nowhere any more. */
  static CageRecord unknown() {
    return new CageRecord("", 0, 0);
  }

  Moment moment() {
    return new Moment(bootId, since);
  }

  void write(Path folder) throws IOException {
    String text = "%s %s %d %d".formatted(bootId, Integer.toUnsignedString(firstId), since, FORMAT);
    UnfinishedFiles.replace(folder.resolve(RECORD), text);
  }

  static void writeRunning(Path folder, Running running) throws IOException {
    String text =
        "%d %d %d ."
            .formatted(
                running.process().pid(), running.process().startTime(), running.loopDevice());
    UnfinishedFiles.replace(folder.resolve(PROCESS), text);
  }

  /** Says that nothing of the cage runs any more. */
  static void remove(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(PROCESS));
    Files.deleteIfExists(folder.resolve(RECORD));
  }

  static Optional<CageRecord> find(Path folder) {
    String[] words = words(folder.resolve(RECORD));
    if (words.length < 2) {
      return Optional.empty();
    }
    if (words.length > 3 && Integer.parseInt(words[3]) > FORMAT) {
      throw new EngineException(
          "A later version of Cove has started the sandbox in %s, and this one does not understand"
                  .formatted(folder)
              + " how; start the server with that version again. Nothing was changed.");
    }
    long since = words.length > 2 ? Long.parseLong(words[2]) : 0;
    return Optional.of(new CageRecord(words[0], Integer.parseUnsignedInt(words[1]), since));
  }

  /** Absent, too, where the process was killed in the middle of writing it. More may follow. */
  static Optional<Running> findRunning(Path folder) {
    String[] words = words(folder.resolve(PROCESS));
    if (words.length < 4 || !words[3].equals(".")) {
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
