package dev.cove.control.ledger;

import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.sqlite.SQLiteConfig;

/**
 * A copy of a ledger that no server uses: what it needs beside it, and how it is made to need no
 * more than is there.
 */
public final class LedgerCopy implements AutoCloseable {
  /** All tables that name layers. */
  private static final List<String> LAYERS =
      List.of(
          "select layer from checkpoint_layer",
          "select layer from template_layer",
          "select layer from build_cache_layer");

  private final Session session;

  private LedgerCopy(Session session) {
    this.session = session;
  }

  /**
   * @throws LedgerUnusableException when it is not whole
   */
  public static LedgerCopy open(Path file) {
    var config = new SQLiteConfig();
    config.enforceForeignKeys(true);
    try {
      var session = new Session(config.createConnection("jdbc:sqlite:" + file));
      // One file and none beside it; whoever made it forces it to the disk when he is done.
      session.query("pragma journal_mode = memory", row -> row.getString(1));
      List<String> verdict = session.query("pragma quick_check(1)", row -> row.getString(1));
      if (!verdict.equals(List.of("ok"))) {
        session.close();
        throw new LedgerUnusableException("The copy of the ledger is damaged: " + verdict);
      }
      return new LedgerCopy(session);
    } catch (SQLException e) {
      throw new LedgerUnusableException("Cannot use the copy of the ledger: " + e.getMessage(), e);
    }
  }

  /** Those that have files: of others, nothing was promised or nothing is left. */
  public List<SandboxId> sandboxesWithFiles() {
    return ask(
            "select id from sandbox where state not in ('requested', 'starting', 'failed',"
                + " 'deleted')")
        .stream()
        .map(SandboxId::new)
        .toList();
  }

  public List<VolumeId> volumes() {
    return ask("select id from volume").stream().map(VolumeId::new).toList();
  }

  /** Of checkpoints, templates and builds. */
  public Set<LayerId> layers() {
    var layers = new HashSet<LayerId>();
    for (String sql : LAYERS) {
      ask(sql).stream().map(LayerId::new).forEach(layers::add);
    }
    return layers;
  }

  public void dropSandbox(SandboxId id) {
    change("delete from sandbox where id = ?", id.value());
  }

  public void dropVolume(VolumeId id) {
    change("delete from sandbox_volume where volume_id = ?", id.value());
    change("delete from volume where id = ?", id.value());
  }

  /** All that needs a layer which cannot be had. */
  public void dropLayer(LayerId layer) {
    change(
        "delete from checkpoint where id in (select checkpoint_id from checkpoint_layer where layer"
            + " = ?)",
        layer.value());
    change(
        "delete from template_version where (project, name, version) in"
            + " (select project, name, version from template_layer where layer = ?)",
        layer.value());
    change(
        "delete from build_cache where key in (select key from build_cache_layer where layer = ?)",
        layer.value());
  }

  /** What ran or was paused is stopped, and starts again when it is used. */
  public void rest(Instant now) {
    change(
        "update meter set phase = 'stopped' where sandbox_id in"
            + " (select id from sandbox where state in ('running', 'paused'))");
    change(
        "update sandbox set state = 'stopped', state_reason = 'restored', state_since = ? where"
            + " state in ('running', 'paused')",
        Micros.of(now));
    change("delete from sandbox_rebuild");
    change("delete from sandbox where state in ('requested', 'starting', 'deleted')");
  }

  private List<String> ask(String sql) {
    try {
      return session.query(sql, row -> row.getString(1));
    } catch (SQLException e) {
      throw LedgerFile.unavailable(e);
    }
  }

  private void change(String sql, Object... values) {
    try {
      session.run(sql, values);
    } catch (SQLException e) {
      throw LedgerFile.unavailable(e);
    }
  }

  @Override
  public void close() {
    try {
      session.close();
    } catch (SQLException e) {
      throw LedgerFile.unavailable(e);
    }
  }
}
