package dev.cove.control.checkpoint;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.LifeText;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.NetworkText;
import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.TemplateColumns;
import dev.cove.control.ledger.Words;
import dev.cove.control.project.Projects;
import dev.cove.model.CheckpointId;
import dev.cove.model.LayerId;
import dev.cove.model.ProjectName;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The rows that say which checkpoints there are. */
final class CheckpointLedger {
  private final Ledger ledger;

  CheckpointLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  void insert(Checkpoint checkpoint) {
    ledger.write(session -> {
      Projects.requireThere(session, checkpoint.project());
      insertRow(session, checkpoint);
      for (var variable : checkpoint.env().entrySet()) {
        session.run(
            "insert into checkpoint_env (checkpoint_id, name, value) values (?, ?, ?)",
            checkpoint.id().value(),
            variable.getKey(),
            variable.getValue());
      }
      for (int i = 0; i < checkpoint.layers().size(); i++) {
        session.run(
            "insert into checkpoint_layer (checkpoint_id, position, layer) values (?, ?, ?)",
            checkpoint.id().value(),
            i,
            checkpoint.layers().get(i).value());
      }
      return true;
    });
  }

  private static void insertRow(Session session, Checkpoint checkpoint) throws SQLException {
    Resources resources = checkpoint.resources();
    session.run(
        """
        insert into checkpoint (id, sandbox_id, name, reason, created_at, template, tier, milli_cpus,
                                memory_mb, disk_mb, max_processes, bytes, frozen_nanos, copied,
                                base, user, cwd, entrypoint, template_network, template_life, project)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        checkpoint.id().value(),
        checkpoint.sandbox().value(),
        checkpoint.name(),
        checkpoint.reason().publicName(),
        Micros.of(checkpoint.createdAt()),
        checkpoint.template().name(),
        checkpoint.tier().publicName(),
        resources.milliCpus(),
        resources.memoryMb(),
        resources.diskMb(),
        resources.maxProcesses(),
        checkpoint.bytes(),
        checkpoint.frozen().toNanos(),
        checkpoint.copied() ? 1 : 0,
        checkpoint.template().base().publicName(),
        checkpoint.template().user(),
        checkpoint.template().cwd(),
        Words.encode(checkpoint.template().entrypoint()),
        NetworkText.encode(checkpoint.template().network()),
        LifeText.encode(checkpoint.template().life()),
        checkpoint.project().value());
  }

  void remove(CheckpointId id) {
    ledger.write(session -> session.run("delete from checkpoint where id = ?", id.value()));
  }

  List<Checkpoint> all() {
    return ledger.read(session -> {
      var env = OwnedRows.maps(session, "select checkpoint_id, name, value from checkpoint_env");
      var layers =
          OwnedRows.layers(
              session,
              "select checkpoint_id, layer from checkpoint_layer order by checkpoint_id, position");
      return session.query(
          """
          select id, sandbox_id, name, reason, created_at, template, tier, milli_cpus, memory_mb,
                 disk_mb, max_processes, bytes, frozen_nanos, copied, base, user, cwd, entrypoint,
                 template_network, template_life, project
          from checkpoint
          """,
          row -> checkpoint(row, env, layers));
    });
  }

  private static Checkpoint checkpoint(
      ResultSet row, Map<String, Map<String, String>> env, Map<String, List<LayerId>> layers)
      throws SQLException {
    String id = row.getString(1);
    return new Checkpoint(
        new CheckpointId(id),
        new ProjectName(row.getString(21)),
        new SandboxId(row.getString(2)),
        row.getString(3),
        Checkpoint.Reason.find(row.getString(4)).orElse(Checkpoint.Reason.ASKED),
        Micros.toInstant(row.getLong(5)),
        TemplateColumns.read(row, 6, 15),
        Tier.find(row.getString(7))
            .orElseThrow(() -> new IllegalStateException("The ledger has an unknown tier")),
        new Resources(row.getInt(8), row.getInt(9), row.getInt(10), row.getInt(11)),
        env.getOrDefault(id, Map.of()),
        layers.getOrDefault(id, List.of()),
        row.getLong(12),
        Duration.ofNanos(row.getLong(13)),
        row.getInt(14) != 0);
  }
}
