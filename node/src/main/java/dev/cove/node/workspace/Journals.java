package dev.cove.node.workspace;

import dev.cove.review.apply.ApplySession;
import dev.cove.review.apply.ApplySession.Outcome;
import dev.cove.review.tree.Digests;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.Rights;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was applied to folders of the host: a folder for each, which also says which one it is.
 * Root's own, and not for those whose folders they are: they hold contents that somebody may have
 * hidden since.
 */
final class Journals {
  private static final Logger LOG = LoggerFactory.getLogger(Journals.class);
  private static final String WHICH = "path";

  private final Path folder;

  Journals(Path folder) {
    this.folder = folder;
  }

  /** Opens a folder of the host to be changed, with the rights of its owner. */
  ApplySession open(Path root) throws IOException {
    Path journal = journalOf(root);
    Path which = journal.resolve(WHICH);
    if (!Files.exists(which)) {
      Files.createDirectories(journal);
      Path fresh = journal.resolve(WHICH + ".new");
      Files.writeString(fresh, root.toString());
      Files.move(fresh, which, StandardCopyOption.ATOMIC_MOVE);
    }
    Rights owner;
    try (HeldFolder held = HeldFolder.open(root)) {
      owner = Rights.ofOwner(held.entry());
    }
    return ApplySession.open(root, journal, owner);
  }

  private Path journalOf(Path root) {
    var digest = Digests.begin();
    digest.update(root.toString().getBytes(StandardCharsets.UTF_8));
    return folder.resolve(Digests.end(digest).substring(0, 32));
  }

  /** Ends what was cut short, if anything was. */
  Optional<Outcome> recover(Path root) throws IOException {
    try (ApplySession session = open(root)) {
      return session.recovered();
    }
  }

  /** Folders of the host on which something was begun and not ended. */
  List<Path> cutShort() {
    var found = new ArrayList<Path>();
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try (Stream<Path> journals = Files.list(folder)) {
      for (Path journal : journals.toList()) {
        if (Files.exists(journal.resolve(WHICH)) && ApplySession.isCutShort(journal)) {
          found.add(Path.of(Files.readString(journal.resolve(WHICH))));
        }
      }
    } catch (IOException e) {
      LOG.error("{} cannot be read: what was cut short there stays so", folder, e);
    }
    return found;
  }
}
