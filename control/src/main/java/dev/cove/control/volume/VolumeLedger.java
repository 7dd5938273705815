package dev.cove.control.volume;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Projects;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.VolumeId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The rows that say which volumes there are. */
final class VolumeLedger {
  private final Ledger ledger;

  VolumeLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  List<Volume> all() {
    return ledger.read(session ->
        session.query(
            "select id, checkpoint, name, size_mb, created_at, parent, project from volume",
            VolumeLedger::volume));
  }

  /**
   * @throws CoveException CONFLICT when the name is taken
   */
  void insert(Volume volume) {
    ledger.write(session -> {
      Projects.requireThere(session, volume.project());
      String name = volume.name().orElse(null);
      List<String> holders =
          session.query(
              "select id from volume where project = ? and name = ?",
              row -> row.getString(1),
              volume.project().value(),
              name);
      if (!holders.isEmpty()) {
        throw new CoveException(
            ErrorCode.CONFLICT,
            "The name is taken by volume %s; choose another.".formatted(holders.getFirst()));
      }
      return session.run(
          """
          insert into volume (id, checkpoint, name, size_mb, created_at, parent, project)
          values (?, ?, ?, ?, ?, ?, ?)
          """,
          volume.id().value(),
          volume.kind() == Volume.Kind.CHECKPOINT ? 1 : 0,
          name,
          volume.sizeMb(),
          Micros.of(volume.createdAt()),
          volume.parent().map(VolumeId::value).orElse(null),
          volume.project().value());
    });
  }

  void remove(VolumeId id) {
    ledger.write(session -> session.run("delete from volume where id = ?", id.value()));
  }

  private static Volume volume(ResultSet row) throws SQLException {
    return new Volume(
        new VolumeId(row.getString(1)),
        new ProjectName(row.getString(7)),
        row.getInt(2) != 0 ? Volume.Kind.CHECKPOINT : Volume.Kind.VOLUME,
        Optional.ofNullable(row.getString(3)),
        row.getInt(4),
        Micros.toInstant(row.getLong(5)),
        Optional.ofNullable(row.getString(6)).map(VolumeId::new));
  }
}
