package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestFiles;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What is put into a Debian once its packages are there.
 *
 * @param commands run as root, in order, when the files are there
 */
public record Furnishing(List<PlacedFile> files, List<List<String>> commands) {
  public static final Furnishing NONE = new Furnishing(List.of(), List.of());

  /** A file of root's that all may read. */
  public record PlacedFile(String path, int mode, String text) {}

  public Furnishing {
    files = List.copyOf(files);
    commands = List.copyOf(commands);
  }

  void addTo(Fingerprint key) {
    for (PlacedFile file : files) {
      key.add(file.path()).add(Integer.toString(file.mode())).add(file.text());
    }
    commands.forEach(key::add);
  }

  void install(Guest guest, BuildLog log) {
    GuestFiles root = guest.files("root");
    for (PlacedFile file : files) {
      root.write(
          file.path(),
          new ByteArrayInputStream(file.text().getBytes(StandardCharsets.UTF_8)),
          OptionalInt.of(file.mode()),
          true);
    }
    for (List<String> command : commands) {
      new StepRun(guest, Settings.NONE, Map.of(), log).run(command);
    }
  }
}
