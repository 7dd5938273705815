package dev.cove.review.apply;

import dev.cove.model.crash.FailPoint;
import dev.cove.review.tree.Digests;
import dev.cove.review.tree.FileCallException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What was applied to one folder of the host, newest last, and what is just being applied.
 *
 * <p>Each has a folder, named by a number: {@code contents} with all that files were and are to be,
 * and a list of steps, whose name says how far it is. A folder without a list was cut short before
 * anything was touched.
 */
final class Journal {
  private static final String CONTENTS = "contents";
  private static final int KEPT = 20;

  /** How far an entry is, by the name of its list. */
  enum Stage {
    /** Being written. */
    DRAFT("draft"),
    /** From here on it is going to happen. */
    FORWARD("forward"),
    /** It is being taken back, since something was in its way. */
    BACK("back"),
    APPLIED("applied");

    private final String file;

    Stage(String file) {
      this.file = file;
    }
  }

  /** An entry, where it lies and how far it is. */
  record Kept(Path folder, Stage stage, JournalEntry entry) {}

  private final Path folder;

  /**
   * @param folder the user's own, which nobody else can write
   */
  Journal(Path folder) {
    this.folder = folder;
  }

  /** Writes down what is going to happen. Durable when it returns. */
  Kept begin(JournalEntry entry) throws IOException {
    Path made = Files.createDirectory(folder.resolve("%08d".formatted(nextNumber())));
    Map<String, Long> places = writeContents(made, entry);
    FailPoint.APPLY_STAGED.reached();
    Path draft = made.resolve(Stage.DRAFT.file);
    try (var out =
        FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      writeAll(out, ByteBuffer.wrap(entry.encode(places)));
      out.force(true);
    }
    sync(folder);
    return advance(read(made, Stage.DRAFT), Stage.FORWARD);
  }

  Kept advance(Kept kept, Stage stage) throws IOException {
    Files.move(
        kept.folder().resolve(kept.stage().file),
        kept.folder().resolve(stage.file),
        StandardCopyOption.ATOMIC_MOVE);
    sync(kept.folder());
    return new Kept(kept.folder(), stage, kept.entry());
  }

  private static void sync(Path folder) throws IOException {
    try (var held = FileChannel.open(folder)) {
      held.force(true);
    }
  }

  private static void writeAll(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      var _ = out.write(bytes);
    }
  }

  /** Each content once, one after the other. */
  private static Map<String, Long> writeContents(Path made, JournalEntry entry) throws IOException {
    Map<String, Long> places = new HashMap<>();
    try (var out =
        FileChannel.open(
            made.resolve(CONTENTS), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (Step step : entry.steps()) {
        for (Version version : List.of(step.from(), step.to())) {
          if (version instanceof Version.File file
              && !places.containsKey(file.content().digest())) {
            places.put(file.content().digest(), out.position());
            append(out, step, file.content());
          }
        }
      }
      out.force(true);
    }
    return places;
  }

  private static void append(FileChannel out, Step step, Content content) throws IOException {
    var digest = Digests.begin();
    byte[] piece = new byte[64 * 1024];
    try (InputStream in = content.open()) {
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        digest.update(piece, 0, read);
        writeAll(out, ByteBuffer.wrap(piece, 0, read));
      }
    } catch (FileCallException e) {
      if (e.meansAbsent() || e.meansDetour()) {
        throw new UnexpectedException(step.path());
      }
      throw e;
    }
    if (!Digests.end(digest).equals(content.digest())) {
      throw new UnexpectedException(step.path());
    }
  }

  /** Forgets an entry of which nothing has happened, or all was taken back. */
  void forget(Kept kept) throws IOException {
    remove(kept.folder(), kept.stage());
  }

  /** The list first: without one, the rest is nothing. */
  private static void remove(Path folder, Stage stage) throws IOException {
    var _ = Files.deleteIfExists(folder.resolve(stage.file));
    var _ = Files.deleteIfExists(folder.resolve(CONTENTS));
    Files.delete(folder);
  }

  /** What was cut short. What had not yet begun is removed, and so is what is old. */
  Optional<Kept> pending() throws IOException {
    for (Path one : folders()) {
      if (Stream.of(Stage.FORWARD, Stage.BACK, Stage.APPLIED)
          .noneMatch(stage -> Files.exists(one.resolve(stage.file)))) {
        remove(one, Stage.DRAFT);
      }
    }
    for (Stage stage : List.of(Stage.FORWARD, Stage.BACK)) {
      for (Path one : folders()) {
        if (Files.exists(one.resolve(stage.file))) {
          return Optional.of(read(one, stage));
        }
      }
    }
    return Optional.empty();
  }

  /** The newest that was applied, is no undoing, and was not undone. */
  Optional<Kept> lastApplied() throws IOException {
    var undone = new ArrayList<String>();
    for (Path one : folders().reversed()) {
      Kept kept = read(one, Stage.APPLIED);
      if (!kept.entry().undoes().isEmpty()) {
        undone.add(kept.entry().undoes());
      } else if (!undone.contains(kept.entry().id())) {
        return Optional.of(kept);
      }
    }
    return Optional.empty();
  }

  /** Only the newest are kept, in pairs with what undid them. */
  void dropOld() throws IOException {
    List<Path> all = folders();
    for (Path old : all.subList(0, Math.max(0, all.size() - KEPT))) {
      remove(old, Stage.APPLIED);
    }
  }

  private long nextNumber() throws IOException {
    List<Path> all = folders();
    return all.isEmpty() ? 1 : Long.parseLong(all.getLast().getFileName().toString()) + 1;
  }

  private List<Path> folders() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory)
          .filter(one -> one.getFileName().toString().matches("[0-9]{8}"))
          .sorted(Comparator.comparing(one -> one.getFileName().toString()))
          .toList();
    }
  }

  private static Kept read(Path folder, Stage stage) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(folder.resolve(stage.file));
    } catch (NoSuchFileException e) {
      throw new IOException("Part of the journal is missing: " + folder, e);
    }
    Path contents = folder.resolve(CONTENTS);
    return new Kept(
        folder,
        stage,
        JournalEntry.decode(
            bytes,
            (place, size, digest) ->
                new Content(digest, size, () -> new Section(open(contents, place), size))));
  }

  private static InputStream open(Path contents, long place) throws IOException {
    FileChannel channel = FileChannel.open(contents);
    return Channels.newInputStream(channel.position(place));
  }
}
