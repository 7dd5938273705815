package dev.cove.server;

import dev.cove.control.backup.BackupFile;
import dev.cove.control.ledger.LedgerCopy;
import dev.cove.control.ledger.SqliteLibrary;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.template.Trees;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Set;

/**
 * Makes a home of a backup. All of it is read, checked and written beside the home first; then the
 * two change places at one moment, so that a crash leaves either the one or the other.
 */
final class BackupRestore {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  /** What a home has before anybody has done anything with it. */
  private static final Set<String> NOTHING_YET = Set.of("server.lock", "lib");

  private static final String VAULT_KEY = "secrets/vault.key";

  private final Home home;
  private final PrintStream out;

  BackupRestore(Home home, PrintStream out) {
    this.home = home;
    this.out = out;
  }

  void run(Path file, boolean replace) throws IOException {
    try (HomeLock _ = HomeLock.claim(home)) {
      boolean empty = isEmpty();
      if (!empty && !replace) {
        throw new StartException(
            "There is something in %s. Choose another folder with COVE_HOME, or say --replace: what is there is kept beside it."
                .formatted(home.data()));
      }
      out.println("Checking " + file);
      BackupFile.verify(file);
      Path fresh = sibling("restoring");
      Trees.remove(fresh);
      Files.createDirectory(
          fresh,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
      boolean done = false;
      try {
        out.println("Unpacking");
        Set<String> names = BackupFile.unpack(file, fresh);
        int sandboxes = check(fresh, names);
        FailPoint.BACKUP_UNPACKED.reached();
        Path aside = sibling("aside-" + MOMENT.format(Instant.now()));
        Files.move(fresh, aside); // the name under which the other one stays
        FailPoint.BACKUP_BESIDE.reached();
        FolderSwap.exchange(aside, home.data());
        done = true;
        tell(sandboxes, names);
        settle(aside, empty);
      } finally {
        if (!done) {
          Trees.remove(fresh);
        }
      }
    }
  }

  private boolean isEmpty() throws IOException {
    try (var found = Files.list(home.data())) {
      return found.allMatch(one -> NOTHING_YET.contains(one.getFileName().toString()));
    }
  }

  private Path sibling(String suffix) {
    return home.data().resolveSibling(home.data().getFileName() + "." + suffix);
  }

  /** Nothing in it may name what is not there. */
  private static int check(Path fresh, Set<String> names) throws IOException {
    SqliteLibrary.loadFrom(fresh.resolve("lib"));
    Path ledger = fresh.resolve("ledger.db");
    if (!names.contains("ledger.db")) {
      throw new StartException("The backup holds no ledger. Nothing was changed.");
    }
    try (LedgerCopy rows = LedgerCopy.open(ledger)) {
      for (LayerId layer : rows.layers()) {
        require(names, "engine/sealed/" + layer);
      }
      for (VolumeId volume : rows.volumes()) {
        require(names, "engine/volumes/" + volume);
      }
      for (SandboxId id : rows.sandboxesWithFiles()) {
        require(names, "engine/sandboxes/" + id + "/image");
      }
      return rows.sandboxesWithFiles().size();
    }
  }

  private static void require(Set<String> names, String name) {
    if (!names.contains(name)) {
      throw new StartException(
          "The backup holds no %s, which its ledger names. Nothing was changed.".formatted(name));
    }
  }

  private void settle(Path aside, boolean empty) throws IOException {
    if (empty) {
      Trees.remove(aside);
    } else {
      out.println("What was there before is in " + aside);
    }
  }

  private void tell(int sandboxes, Set<String> names) {
    out.println("Restored to %s: %d sandboxes, stopped".formatted(home.data(), sandboxes));
    boolean secrets = names.stream().anyMatch(name -> name.startsWith("secrets/"));
    if (secrets && !names.contains(VAULT_KEY)) {
      out.println(
          "The backup was taken without keys. Put the vault's key at %s (chmod 600) before the server starts."
              .formatted(home.data().resolve(VAULT_KEY)));
    }
  }
}
