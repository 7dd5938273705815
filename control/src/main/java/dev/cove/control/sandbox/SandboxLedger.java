package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.checkpoint.RulesLedger;
import dev.cove.control.event.Events;
import dev.cove.control.ledger.Change;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.LifeText;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.NetworkText;
import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.TemplateColumns;
import dev.cove.control.ledger.Words;
import dev.cove.control.project.Projects;
import dev.cove.control.service.Service;
import dev.cove.control.service.ServiceLedger;
import dev.cove.control.usage.Budget;
import dev.cove.control.usage.Meters;
import dev.cove.control.usage.Owner;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.PauseReason;
import dev.cove.model.ProjectName;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.Tier;
import dev.cove.model.VolumeId;
import dev.cove.model.VolumeMount;
import dev.cove.model.Workspace;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import dev.cove.node.Reading;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rows that say which sandboxes must exist, and which request made them. */
final class SandboxLedger {
  private static final Duration KEYS_KEPT = Duration.ofHours(24);
  private static final int MAX_KEYS = 100_000;

  private final Ledger ledger;
  private final Meters meters;
  private final Function<SandboxId, Reading> readings;
  private final LifeRules usual;

  /**
   * @param readings what the machine has counted of a sandbox; asked before it goes to rest
   * @param usual what the server says of lives, which no row says
   */
  SandboxLedger(
      Ledger ledger, Meters meters, Function<SandboxId, Reading> readings, LifeRules usual) {
    this.ledger = ledger;
    this.meters = meters;
    this.readings = readings;
    this.usual = usual;
  }

  /** Every sandbox, those being taken apart included. */
  List<Sandbox> all() {
    return ledger.read(session -> {
      var env = OwnedRows.maps(session, "select sandbox_id, name, value from sandbox_env");
      var labels = OwnedRows.maps(session, "select sandbox_id, name, value from sandbox_label");
      var volumes = volumes(session);
      var workspaces = WorkspaceRows.bySandbox(session);
      var networks = NetworkRows.bySandbox(session);
      var lives = LifeRows.bySandbox(session);
      return session.query(
          """
          select id, name, template, tier, milli_cpus, memory_mb, disk_mb, max_processes,
                 state, state_since, state_reason, created_at, parent,
                 base, user, cwd, entrypoint, template_network, template_life, project,
                 kept_until
          from sandbox
          """,
          row -> sandbox(row, env, labels, volumes, workspaces, networks, lives));
    });
  }

  /** Records a new sandbox and, in the same transaction, its rules and the request it answers. */
  void insert(
      Sandbox sandbox,
      List<Service> services,
      Optional<CheckpointRules> rules,
      Optional<Budget> budget,
      Optional<IdempotentRequest> request) {
    Change<Boolean> change =
        session -> {
          Projects.requireThere(session, sandbox.spec().project());
          requireNameFree(session, sandbox.spec());
          insertSandbox(session, sandbox);
          insertAll(session, INSERT_ENV, sandbox.id(), sandbox.spec().env());
          insertAll(session, INSERT_LABEL, sandbox.id(), sandbox.spec().labels());
          insertVolumes(session, sandbox);
          WorkspaceRows.insert(session, sandbox.id(), sandbox.spec().workspaces());
          NetworkRows.insert(session, sandbox.id(), sandbox.spec().network());
          LifeRows.put(session, sandbox);
          ServiceLedger.insert(session, sandbox.id(), services, sandbox.createdAt());
          if (rules.isPresent()) {
            RulesLedger.put(session, sandbox.id(), rules.get());
          }
          if (request.isPresent()) {
            insertRequest(session, request.get(), sandbox);
          }
          meters.open(session, sandbox.id(), owner(sandbox.spec(), budget), sandbox.state());
          return true;
        };
    if (sandbox.state() instanceof SandboxState.Starting) {
      ledger.writeAhead(change);
    } else {
      ledger.write(change);
    }
  }

  int queued() {
    return ledger.queued();
  }

  void updateState(Sandbox sandbox) {
    ledger.write(metered(sandbox));
  }

  void updateStateAhead(Sandbox sandbox) {
    ledger.writeAhead(metered(sandbox));
  }

  /**
   * Takes a sandbox back that was deleted and kept.
   *
   * @param stopped as it is to be, under the name that it had
   * @return its name: that one, or its id where somebody else has it now
   */
  String undelete(Sandbox stopped) {
    Change<Integer> change = metered(stopped);
    return ledger.write(session -> {
      String name = stopped.spec().name();
      if (!holders(session, stopped.spec()).isEmpty()) {
        name = stopped.id().value();
        requireNameFree(session, stopped.spec().withName(name));
        session.run(
            "update sandbox set name = ?, name_key = ? where id = ?",
            name,
            SandboxName.key(name),
            stopped.id().value());
      }
      change.apply(session);
      return name;
    });
  }

  /** With what it has used up to here. */
  private Change<Integer> metered(Sandbox sandbox) {
    Optional<Reading> reading =
        sandbox.state() instanceof SandboxState.Running
            ? Optional.empty()
            : Optional.of(readings.apply(sandbox.id()));
    return session -> {
      meters.enter(session, sandbox.id(), sandbox.state(), reading);
      return updateState(session, sandbox);
    };
  }

  private static Owner owner(SandboxSpec spec, Optional<Budget> budget) {
    return new Owner(spec.project().value(), spec.name(), spec.labels(), budget);
  }

  void updateLabels(SandboxId id, Map<String, String> labels) {
    ledger.write(session -> {
      session.run("delete from sandbox_label where sandbox_id = ?", id.value());
      insertAll(session, INSERT_LABEL, id, labels);
      meters.label(session, id, labels);
      return true;
    });
  }

  void updateLife(Sandbox sandbox) {
    ledger.write(session -> LifeRows.put(session, sandbox));
  }

  /** Those of whom {@link #settle} said that they are to start again. */
  List<SandboxId> toStartAgain() {
    return ledger.read(session ->
        session.query(
            "select sandbox_id from start_again", row -> new SandboxId(row.getString(1))));
  }

  void startedAgain(SandboxId id) {
    ledger.writeAhead(
        session -> session.run("delete from start_again where sandbox_id = ?", id.value()));
  }

  void updateNetwork(SandboxId id, NetworkSettings settings) {
    ledger.write(session -> NetworkRows.replace(session, id, settings));
  }

  /** Drops the row of a sandbox that is gone. The request that made it stays known. */
  void remove(SandboxId id) {
    ledger.write(session -> delete(session, id));
  }

  /** Does the same without waiting for the disk. */
  void removeLater(SandboxId id, Runnable whenItFails) {
    var _ =
        ledger
            .writeLater(session -> delete(session, id))
            .whenComplete((_, fault) -> {
              if (fault != null) {
                whenItFails.run();
              }
            });
  }

  /** Drops a sandbox that never came to be, so that the same request may be made again. */
  void forget(SandboxId id) {
    ledger.write(session -> forget(session, id));
  }

  /** Says that a sandbox is about to be ended and built over other layers. */
  void beginRebuild(SandboxId id, CheckpointId undo) {
    ledger.writeAhead(session -> {
      ServiceLedger.processesGone(session, id);
      return session.run(
          "insert or replace into sandbox_rebuild (sandbox_id, undo) values (?, ?)",
          id.value(),
          undo.value());
    });
  }

  /**
   * @param restored whether it stands on those layers now, which is an event
   */
  void endRebuild(SandboxId id, boolean restored) {
    ledger.writeAhead(session -> {
      int ended = session.run("delete from sandbox_rebuild where sandbox_id = ?", id.value());
      if (restored) {
        Events.write(session, "sandbox.restored", Optional.of(id), "{}");
      }
      return ended;
    });
  }

  /** The layers of what sandboxes were before somebody began to rebuild them and did not end it. */
  Map<SandboxId, List<LayerId>> rebuilds() {
    return ledger.read(session -> {
      var layers = new HashMap<SandboxId, List<LayerId>>();
      OwnedRows.layers(
              session,
              """
              select r.sandbox_id, l.layer
              from sandbox_rebuild r join checkpoint_layer l on l.checkpoint_id = r.undo
              order by r.sandbox_id, l.position
              """)
          .forEach((id, stack) -> layers.put(new SandboxId(id), stack));
      return layers;
    });
  }

  Optional<Answered> findAnswered(IdempotentRequest request, Instant now) {
    long oldest = Micros.of(now.minus(KEYS_KEPT));
    return ledger
        .read(session ->
            session.query(
                """
                select request_hash, sandbox_id from idempotency
                where project = ? and key = ? and created_at >= ?
                """,
                row -> new Answered(row.getString(1), new SandboxId(row.getString(2))),
                request.project().value(),
                request.key(),
                oldest))
        .stream()
        .findFirst();
  }

  /** The request that an existing or former sandbox answered. */
  record Answered(String requestHash, SandboxId sandbox) {}

  /** Whether the ledger was last in use under another boot of the host; {@link #settle} ends it. */
  boolean isOfAnotherBoot(String bootId) {
    List<String> before =
        ledger.read(session -> session.query("select boot_id from host", row -> row.getString(1)));
    return !before.isEmpty() && !before.contains(bootId);
  }

  /**
   * Writes what was found at start-up in one go.
   *
   * @param bootId under which boot of the host the ledger is now in use
   * @param startAgain of those that have changed
   */
  void settle(
      String bootId,
      List<Sandbox> changed,
      List<SandboxId> gone,
      List<SandboxId> neverWere,
      List<SandboxId> startAgain) {
    ledger.write(session -> {
      session.run("insert or replace into host (one, boot_id) values (1, ?)", bootId);
      for (SandboxId id : startAgain) {
        session.run("insert or ignore into start_again (sandbox_id) values (?)", id.value());
      }
      for (Sandbox sandbox : changed) {
        meters.enterFound(session, sandbox.id(), sandbox.state());
        updateState(session, sandbox);
      }
      for (SandboxId id : gone) {
        delete(session, id);
      }
      for (SandboxId id : neverWere) {
        forget(session, id);
      }
      session.run("delete from sandbox_rebuild");
      return true;
    });
  }

  private static final String INSERT_ENV =
      "insert into sandbox_env (sandbox_id, name, value) values (?, ?, ?)";
  private static final String INSERT_LABEL =
      "insert into sandbox_label (sandbox_id, name, value) values (?, ?, ?)";

  private static List<String> holders(Session session, SandboxSpec spec) throws SQLException {
    return session.query(
        "select id from sandbox where project = ? and name_key = ? and state <> 'deleted'",
        row -> row.getString(1),
        spec.project().value(),
        SandboxName.key(spec.name()));
  }

  private static void requireNameFree(Session session, SandboxSpec spec) throws SQLException {
    List<String> holders = holders(session, spec);
    if (!holders.isEmpty()) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "The name is taken by sandbox %s; choose another.".formatted(holders.getFirst()));
    }
  }

  private static void insertSandbox(Session session, Sandbox sandbox) throws SQLException {
    SandboxSpec spec = sandbox.spec();
    session.run(
        """
        insert into sandbox (id, name, name_key, template, tier, milli_cpus, memory_mb, disk_mb,
                             max_processes, state, state_since, state_reason, created_at, parent,
                             base, user, cwd, entrypoint, template_network, template_life, project)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        sandbox.id().value(),
        spec.name(),
        SandboxName.key(spec.name()),
        spec.template().name(),
        spec.tier().publicName(),
        spec.resources().milliCpus(),
        spec.resources().memoryMb(),
        spec.resources().diskMb(),
        spec.resources().maxProcesses(),
        sandbox.state().publicName(),
        since(sandbox.state()),
        reason(sandbox.state()),
        Micros.of(sandbox.createdAt()),
        sandbox.parent().map(SandboxId::value).orElse(null),
        spec.template().base().publicName(),
        spec.template().user(),
        spec.template().cwd(),
        Words.encode(spec.template().entrypoint()),
        NetworkText.encode(spec.template().network()),
        LifeText.encode(spec.template().life()),
        spec.project().value());
  }

  private static void insertAll(
      Session session, String insert, SandboxId id, Map<String, String> entries)
      throws SQLException {
    for (var entry : entries.entrySet()) {
      session.run(insert, id.value(), entry.getKey(), entry.getValue());
    }
  }

  private static void insertVolumes(Session session, Sandbox sandbox) throws SQLException {
    for (VolumeMount mount : sandbox.spec().volumes()) {
      session.run(
          """
          insert into sandbox_volume (sandbox_id, target, volume_id, read_only)
          values (?, ?, ?, ?)
          """,
          sandbox.id().value(),
          mount.target(),
          mount.volume().value(),
          mount.readOnly() ? 1 : 0);
    }
  }

  private static void insertRequest(Session session, IdempotentRequest request, Sandbox sandbox)
      throws SQLException {
    long now = Micros.of(sandbox.createdAt());
    session.run("delete from idempotency where created_at < ?", now - KEYS_KEPT.toNanos() / 1_000);
    session.run(
        "delete from idempotency where seq <= (select max(seq) from idempotency) - ?",
        MAX_KEYS - 1);
    session.run(
        """
        insert into idempotency (project, key, request_hash, sandbox_id, created_at)
        values (?, ?, ?, ?, ?)
        """,
        request.project().value(),
        request.key(),
        request.hash(),
        sandbox.id().value(),
        now);
  }

  private static int updateState(Session session, Sandbox sandbox) throws SQLException {
    return session.run(
        """
        update sandbox set state = ?, state_since = ?, state_reason = ?, kept_until = ?
        where id = ?
        """,
        sandbox.state().publicName(),
        since(sandbox.state()),
        reason(sandbox.state()),
        sandbox.state() instanceof SandboxState.Discarded kept ? Micros.of(kept.until()) : null,
        sandbox.id().value());
  }

  private int delete(Session session, SandboxId id) throws SQLException {
    meters.close(session, id);
    return session.run("delete from sandbox where id = ?", id.value());
  }

  private int forget(Session session, SandboxId id) throws SQLException {
    session.run("delete from idempotency where sandbox_id = ?", id.value());
    int gone = delete(session, id);
    meters.forget(session, id);
    return gone;
  }

  private static Map<String, List<VolumeMount>> volumes(Session session) throws SQLException {
    return OwnedRows.lists(
        session,
        "select sandbox_id, target, volume_id, read_only from sandbox_volume",
        row ->
            new VolumeMount(new VolumeId(row.getString(3)), row.getString(2), row.getInt(4) != 0));
  }

  private Sandbox sandbox(
      ResultSet row,
      Map<String, Map<String, String>> env,
      Map<String, Map<String, String>> labels,
      Map<String, List<VolumeMount>> volumes,
      Map<String, List<Workspace>> workspaces,
      Map<String, NetworkSettings> networks,
      Map<String, LifeRows.Life> lives)
      throws SQLException {
    String id = row.getString(1);
    var resources = new Resources(row.getInt(5), row.getInt(6), row.getInt(7), row.getInt(8));
    String tier = row.getString(4);
    LifeRows.Life life = lives.getOrDefault(id, LifeRows.Life.NOTHING);
    var spec =
        new SandboxSpec(
            row.getString(2),
            TemplateColumns.read(row, 3, 14),
            Tier.find(tier)
                .orElseThrow(() -> new IllegalStateException("The ledger has a tier " + tier)),
            resources,
            env.getOrDefault(id, Map.of()),
            labels.getOrDefault(id, Map.of()),
            volumes.getOrDefault(id, List.of()),
            workspaces.getOrDefault(id, List.of()),
            networks.getOrDefault(id, NetworkSettings.NOTHING),
            life.rules(),
            new ProjectName(row.getString(20)));
    return new Sandbox(
        new SandboxId(id),
        spec,
        state(row.getString(9), row.getLong(10), row.getString(11), row.getLong(21)),
        Micros.toInstant(row.getLong(12)),
        Optional.ofNullable(row.getString(13)).map(SandboxId::new),
        life.endsAt(),
        usual);
  }

  private static SandboxState state(
      String word, long since, @Nullable String reason, long keptUntil) {
    String why = reason == null ? "" : reason;
    return switch (word) {
      case "requested" -> new SandboxState.Requested();
      case "starting" -> new SandboxState.Starting();
      case "running" -> new SandboxState.Running(Micros.toInstant(since));
      case "paused" ->
          new SandboxState.Paused(
              PauseReason.find(why).orElse(PauseReason.ASKED), Micros.toInstant(since));
      case "stopped" ->
          new SandboxState.Stopped(
              StopReason.find(why)
                  .orElseThrow(() -> new IllegalStateException("The ledger has a reason " + why)),
              Micros.toInstant(since));
      case "failed" -> new SandboxState.Failed(why);
      case "deleted" ->
          keptUntil == 0
              ? new SandboxState.Deleted()
              : new SandboxState.Discarded(Micros.toInstant(since), Micros.toInstant(keptUntil));
      default -> throw new IllegalStateException("The ledger has a state " + word);
    };
  }

  private static @Nullable Long since(SandboxState state) {
    return switch (state) {
      case SandboxState.Running running -> Micros.of(running.since());
      case SandboxState.Paused paused -> Micros.of(paused.since());
      case SandboxState.Stopped stopped -> Micros.of(stopped.since());
      case SandboxState.Discarded discarded -> Micros.of(discarded.since());
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Failed _,
          SandboxState.Deleted _ ->
          null;
    };
  }

  private static @Nullable String reason(SandboxState state) {
    return switch (state) {
      case SandboxState.Paused paused -> paused.reason().publicName();
      case SandboxState.Stopped stopped -> stopped.reason().publicName();
      case SandboxState.Failed failed -> failed.reason();
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Running _,
          SandboxState.Discarded _,
          SandboxState.Deleted _ ->
          null;
    };
  }
}
