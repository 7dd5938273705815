package dev.cove.cli;

import dev.cove.cli.review.Choice;
import dev.cove.cli.review.FileReview;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was decided of a sandbox's changes, from one review to the next.
 *
 * <p>A file for each sandbox in {@code ~/.local/state/cove/reviews}, with a line for each decision.
 * It holds for the content that it was made about and no other. Where there is no home, or it can't
 * be written, nothing is remembered.
 */
final class Decisions {
  private static final String HEADING = "cove review 1";
  private static final Duration KEPT = Duration.ofDays(90);
  private static final long MOST_BYTES = 64L << 20;
  private static final int FIELDS = 6;

  private final Optional<Path> file;

  private Decisions(Optional<Path> file) {
    this.file = file;
  }

  static Decisions of(Session session, String sandboxId) {
    Map<String, String> environment = session.environment();
    String home = environment.getOrDefault("HOME", "");
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    if (state.isEmpty() && home.isEmpty()) {
      return new Decisions(Optional.empty());
    }
    Path folder = state.isEmpty() ? Path.of(home, ".local", "state") : Path.of(state);
    return new Decisions(Optional.of(folder.resolve(Path.of("cove", "reviews", sandboxId))));
  }

  /** Takes up what was decided before; says how many files have changed since. */
  int recall(Map<UnderReview.Place, FileReview> files) {
    int stale = 0;
    for (String line : lines()) {
      String[] fields = line.split("\t", FIELDS);
      if (fields.length < FIELDS) {
        continue;
      }
      FileReview review = files.get(new UnderReview.Place(fields[4], fields[5]));
      if (review == null) {
        continue;
      }
      if (!review.content().fingerprint().equals(fields[0])) {
        stale++;
      } else if (fields[1].equals(Choice.MIXED.name())) {
        review.decide(new FileReview.Lines(bits(fields[2]), bits(fields[3])));
      } else {
        review.decide(fields[1].equals(Choice.TAKEN.name()) ? Choice.TAKEN : Choice.LEFT);
      }
    }
    return stale;
  }

  private List<String> lines() {
    try {
      if (file.isEmpty()
          || !Files.isRegularFile(file.get())
          || Files.size(file.get()) > MOST_BYTES) {
        return List.of();
      }
      List<String> lines = Files.readAllLines(file.get());
      return !lines.isEmpty() && lines.getFirst().equals(HEADING)
          ? lines.subList(1, lines.size())
          : List.of();
    } catch (IOException e) {
      return List.of(); // nothing is remembered
    }
  }

  /** All that is decided; what is open is not remembered. */
  void remember(Map<UnderReview.Place, FileReview> files) {
    if (file.isEmpty()) {
      return;
    }
    var lines = new ArrayList<String>();
    lines.add(HEADING);
    files.forEach((place, review) -> {
      if (review.choice() != Choice.OPEN) {
        FileReview.Lines some = review.lines();
        lines.add(
            String.join(
                "\t",
                review.content().fingerprint(),
                review.choice().name(),
                text(some.taken()),
                text(some.left()),
                place.project(),
                place.path()));
      }
    });
    try {
      write(file.get(), lines);
    } catch (IOException e) {
      // A review without memory is still a review.
    }
  }

  private static void write(Path file, List<String> lines) throws IOException {
    if (lines.size() == 1) {
      Files.deleteIfExists(file);
      return;
    }
    Path folder = file.resolveSibling("");
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    sweep(folder);
    Path next = Files.createTempFile(folder, "next", null);
    Files.write(next, lines);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Those of sandboxes that nobody has reviewed for long. */
  private static void sweep(Path folder) throws IOException {
    Instant before = Instant.now().minus(KEPT);
    try (Stream<Path> all = Files.list(folder)) {
      for (Path one : all.toList()) {
        if (Files.getLastModifiedTime(one).toInstant().isBefore(before)) {
          Files.deleteIfExists(one);
        }
      }
    }
  }

  private static String text(BitSet bits) {
    return bits.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
  }

  private static BitSet bits(String text) {
    var bits = new BitSet();
    for (String number : text.split(",")) {
      if (number.matches("[0-9]{1,7}")) {
        bits.set(Integer.parseInt(number));
      }
    }
    return bits;
  }
}
