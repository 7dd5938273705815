package dev.cove.engine.microvm;

import java.time.Instant;
import java.util.Optional;

/**
 * A process of ours that may outlive us, as it is written down.
 *
 * @param started tells it from another with the same number
 */
record OwnedProcess(long pid, Instant started) {
  static OwnedProcess of(Process process) {
    return new OwnedProcess(process.pid(), process.info().startInstant().orElse(Instant.EPOCH));
  }

  String text() {
    return pid + " " + started;
  }

  static Optional<OwnedProcess> parse(String text) {
    String[] words = text.strip().split(" ");
    if (words.length != 2) {
      return Optional.empty(); // cut short
    }
    return Optional.of(new OwnedProcess(Long.parseLong(words[0]), Instant.parse(words[1])));
  }

  void end() {
    ProcessHandle.of(pid)
        .filter(found -> found.info().startInstant().equals(Optional.of(started)))
        .ifPresent(ProcessHandle::destroyForcibly);
  }
}
