package dev.cove.control.template;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.LifeText;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.NetworkText;
import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.TemplateColumns;
import dev.cove.control.ledger.Words;
import dev.cove.control.project.Projects;
import dev.cove.control.template.TemplateVersion.Content;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.model.LayerId;
import dev.cove.model.ProjectName;
import dev.cove.model.ResourceWish;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rows of templates. */
final class TemplateLedger {
  private final Ledger ledger;

  TemplateLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Writes a version and lets the tags point to it, or nothing. */
  void insert(TemplateVersion version, Set<String> tags) {
    ledger.write(session -> {
      Projects.requireThere(session, version.project());
      insertRow(session, version);
      for (var entry : version.env().entrySet()) {
        session.run(
            "insert into template_env (project, name, version, variable, value) values (?, ?, ?, ?,"
                + " ?)",
            version.project().value(),
            version.name(),
            version.number(),
            entry.getKey(),
            entry.getValue());
      }
      for (int i = 0; i < version.layers().size(); i++) {
        session.run(
            "insert into template_layer (project, name, version, position, layer) values (?, ?, ?,"
                + " ?, ?)",
            version.project().value(),
            version.name(),
            version.number(),
            i,
            version.layers().get(i).value());
      }
      for (String tag : tags) {
        tag(session, version, tag);
      }
      return true;
    });
  }

  private static void insertRow(Session session, TemplateVersion version) throws SQLException {
    Content content = version.content();
    session.run(
        """
        insert into template_version (project, name, version, origin, created_at, base, user, cwd,
                                      entrypoint, start_command, ready_command, template_network,
                                      template_life, milli_cpus, memory_mb, disk_mb,
                                      max_processes)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        version.project().value(),
        version.name(),
        version.number(),
        version.origin(),
        Micros.of(version.createdAt()),
        content.template().base().publicName(),
        content.template().user(),
        content.template().cwd(),
        Words.encode(content.template().entrypoint()),
        Words.encode(content.service().command()),
        Words.encode(content.service().ready()),
        NetworkText.encode(content.template().network()),
        LifeText.encode(content.template().life()),
        content.limits().milliCpus().orElse(null),
        content.limits().memoryMb().orElse(null),
        content.limits().diskMb().orElse(null),
        content.limits().maxProcesses().orElse(null));
  }

  void tag(TemplateVersion version, String tag) {
    ledger.write(session -> tag(session, version, tag));
  }

  private static int tag(Session session, TemplateVersion version, String tag) throws SQLException {
    return session.run(
        "insert or replace into template_tag (project, name, tag, version) values (?, ?, ?, ?)",
        version.project().value(),
        version.name(),
        tag,
        version.number());
  }

  void removeTag(TemplateVersion version, String tag) {
    ledger.write(session ->
        session.run(
            "delete from template_tag where project = ? and name = ? and tag = ?",
            version.project().value(),
            version.name(),
            tag));
  }

  void removeVersion(TemplateVersion version) {
    ledger.write(session ->
        session.run(
            "delete from template_version where project = ? and name = ? and version = ?",
            version.project().value(),
            version.name(),
            version.number()));
  }

  void removeAll(ProjectName project, String name) {
    ledger.write(session ->
        session.run(
            "delete from template_version where project = ? and name = ?", project.value(), name));
  }

  /** A tag and the version that it points to. */
  record Tag(ProjectName project, String name, String tag, int version) {}

  List<Tag> tags() {
    return ledger.read(session ->
        session.query(
            "select project, name, tag, version from template_tag",
            row ->
                new Tag(
                    new ProjectName(row.getString(1)),
                    row.getString(2),
                    row.getString(3),
                    row.getInt(4))));
  }

  List<TemplateVersion> versions() {
    return ledger.read(session -> {
      var env =
          OwnedRows.maps(
              session,
              """
              select project || '/' || name || '@' || version, variable, value from template_env
              """);
      var layers =
          OwnedRows.layers(
              session,
              """
              select project || '/' || name || '@' || version, layer from template_layer
              order by project, name, version, position
              """);
      return session.query(
          """
          select name, version, origin, created_at, start_command, ready_command,
                 base, user, cwd, entrypoint, template_network, template_life, project,
                 milli_cpus, memory_mb, disk_mb, max_processes
          from template_version
          """,
          row -> version(row, env, layers));
    });
  }

  private static TemplateVersion version(
      ResultSet row, Map<String, Map<String, String>> env, Map<String, List<LayerId>> layers)
      throws SQLException {
    String name = row.getString(1);
    int number = row.getInt(2);
    var project = new ProjectName(row.getString(13));
    String key = project + "/" + name + "@" + number;
    return new TemplateVersion(
        project,
        name,
        number,
        row.getString(3),
        Micros.toInstant(row.getLong(4)),
        new Content(
            TemplateColumns.read(row, 1, 7),
            env.getOrDefault(key, Map.of()),
            layers.getOrDefault(key, List.of()),
            new Service(Words.decode(row.getString(5)), Words.decode(row.getString(6))),
            new ResourceWish(number(row, 14), number(row, 15), number(row, 16), number(row, 17))));
  }

  private static Optional<Integer> number(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? Optional.empty() : Optional.of(value);
  }
}
