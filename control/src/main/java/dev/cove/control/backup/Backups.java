package dev.cove.control.backup;

import dev.cove.control.build.Spool;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.LedgerCopy;
import dev.cove.control.project.Scope;
import dev.cove.control.sandbox.Branches;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileRanges;
import dev.cove.model.file.FileSink;
import dev.cove.node.Node;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes all of a home to one file while the server goes on.
 *
 * <p>The ledger is copied first, at one moment, and written last: what it names is taken after that
 * moment, and of what has gone meanwhile the copy is told. So whatever was acknowledged before a
 * backup began is in it, and nothing in it names what is not there.
 */
public final class Backups {
  private static final Logger log = LoggerFactory.getLogger(Backups.class);

  /** Who has these can read the secrets, speak for webhooks, or use the API. */
  private static final Set<String> KEYS =
      Set.of("local.key", "webhooks.key", "e2b.key", "secrets/vault.key");

  private static final List<String> FOLDERS = List.of("secrets", "networks");
  private static final String UNFINISHED = ".new";

  private final Ledger ledger;
  private final Branches branches;
  private final Layers layers;
  private final Node node;
  private final Spool spool;
  private final Path data;
  private final Clock clock;
  private final ReentrantLock one = new ReentrantLock();

  /**
   * @param data the home's folder
   */
  public Backups(
      Ledger ledger,
      Branches branches,
      Layers layers,
      Node node,
      Spool spool,
      Path data,
      Clock clock) {
    this.ledger = ledger;
    this.branches = branches;
    this.layers = layers;
    this.node = node;
    this.spool = spool;
    this.data = data;
    this.clock = clock;
  }

  /** Where a backup goes to; asked for when the first byte is there. */
  public interface Target {
    OutputStream open() throws IOException;
  }

  /**
   * Takes a backup.
   *
   * @throws CoveException CONFLICT while another is being taken
   */
  public void write(BackupWish wish, Target target) throws IOException {
    if (!one.tryLock()) {
      throw new CoveException(
          ErrorCode.CONFLICT, "Another backup is just being taken; wait until it is done.");
    }
    Path work = spool.makeFolder();
    try (Layers.Pin pin = layers.pin()) {
      Path copy = work.resolve("ledger.db");
      layers.using(() -> {
        ledger.copyTo(copy);
        pin.add(node.disk().layers().keySet()); // rows come after layers, so all it names are there
        return true;
      });
      OutputStream out = target.open();
      Scope.EVERYTHING.call(() -> {
        BackupFile.write(sink -> write(wish, copy, sink), out);
        return true;
      });
    } finally {
      spool.drop(work);
      one.unlock();
    }
  }

  private void write(BackupWish wish, Path copy, FileSink sink) throws IOException {
    int sandboxes = 0;
    try (LedgerCopy rows = LedgerCopy.open(copy)) {
      var written = new HashSet<LayerId>();
      if (wish.onlyLedger()) {
        dropFiles(rows);
      }
      for (LayerId layer : rows.layers()) {
        writeLayer(layer, written, rows, sink);
      }
      for (VolumeId volume : rows.volumes()) {
        writeVolume(volume, rows, sink);
      }
      for (SandboxId id : rows.sandboxesWithFiles()) {
        if (wish.sandboxes() && writeSandbox(id, written, sink)) {
          sandboxes++;
        } else {
          rows.dropSandbox(id);
        }
      }
      rows.rest(clock.instant());
      log.info("backup: {} sandboxes, {} layers", sandboxes, written.size());
    }
    writeSmallFiles(wish.keys(), sink);
    sink.take("ledger.db", Files.size(copy), out -> FileRanges.write(copy, out));
  }

  /** What is named must be there, so nothing is named then. */
  private static void dropFiles(LedgerCopy rows) {
    rows.layers().forEach(rows::dropLayer);
    rows.sandboxesWithFiles().forEach(rows::dropSandbox);
    rows.volumes().forEach(rows::dropVolume);
  }

  /** A layer that is damaged is told of and left out, with all that needs it. */
  private void writeLayer(LayerId layer, Set<LayerId> written, LedgerCopy rows, FileSink sink)
      throws IOException {
    try {
      node.describeLayer(layer);
    } catch (CoveException e) {
      if (e.code() != ErrorCode.LAYER_DAMAGED && e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      log.warn("backup: left out what needs layer {}: {}", layer, e.getMessage());
      rows.dropLayer(layer);
      return;
    }
    node.backup(new Node.Kept.Layer(layer), sink);
    written.add(layer);
  }

  private void writeVolume(VolumeId volume, LedgerCopy rows, FileSink sink) throws IOException {
    try {
      node.backup(new Node.Kept.Volume(volume), sink);
    } catch (CoveException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      rows.dropVolume(volume); // it went after the ledger was copied
    }
  }

  private boolean writeSandbox(SandboxId id, Set<LayerId> written, FileSink sink)
      throws IOException {
    try (Branches.Moment now = branches.copy(id.value())) {
      List<LayerId> stack = now.checkpoint().layers();
      for (LayerId layer : stack.subList(1, stack.size())) {
        if (written.add(layer)) {
          node.backup(new Node.Kept.Layer(layer), sink);
        }
      }
      node.backup(new Node.Kept.Disk(id, now.checkpoint().template().base(), stack), sink);
      return true;
    } catch (CoveException e) {
      if (e.code() != ErrorCode.NOT_FOUND && e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      log.info("backup: sandbox {} went meanwhile: {}", id, e.getMessage());
      return false;
    }
  }

  /** They are replaced as a whole, never written to, so each is read whole. */
  private void writeSmallFiles(boolean keys, FileSink sink) throws IOException {
    for (String name : KEYS) {
      if (keys) {
        writeSmallFile(name, sink);
      }
    }
    for (String folder : FOLDERS) {
      try (Stream<Path> below = Files.walk(data.resolve(folder))) {
        List<String> names =
            below
                .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                .map(file -> data.relativize(file).toString())
                .filter(name -> !KEYS.contains(name) && !name.endsWith(UNFINISHED))
                .toList();
        for (String name : names) {
          writeSmallFile(name, sink);
        }
      } catch (NoSuchFileException _) {
        log.debug("backup: there is no folder {}", folder);
      }
    }
  }

  private void writeSmallFile(String name, FileSink sink) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(data.resolve(name));
    } catch (NoSuchFileException _) {
      return; // it went meanwhile, with the sandbox or the secret that it was for
    }
    sink.take(name, bytes.length, out -> FileRanges.write(bytes, out));
  }
}
