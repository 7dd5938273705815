package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.checkpoint.RulesLedger;
import dev.cove.control.event.Events;
import dev.cove.control.ledger.Change;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.TemplateColumns;
import dev.cove.control.ledger.Words;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.Tier;
import dev.cove.model.VolumeId;
import dev.cove.model.VolumeMount;
import dev.cove.model.network.NetworkSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows that say which sandboxes must exist, and which request made them. */
final class SandboxLedger {
  private static final Duration KEYS_KEPT = Duration.ofHours(24);
  private static final int MAX_KEYS = 100_000;

  private final Ledger ledger;

  SandboxLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Every sandbox, those being taken apart included. */
  List<Sandbox> all() {
    return ledger.read(session -> {
      var env = OwnedRows.maps(session, "select sandbox_id, name, value from sandbox_env");
      var labels = OwnedRows.maps(session, "select sandbox_id, name, value from sandbox_label");
      var volumes = volumes(session);
      var networks = NetworkRows.bySandbox(session);
      return session.query(
          """
          select id, name, template, tier, milli_cpus, memory_mb, disk_mb, max_processes,
                 state, state_since, state_reason, created_at, parent,
                 base, user, cwd, entrypoint
          from sandbox
          """,
          row -> sandbox(row, env, labels, volumes, networks));
    });
  }

  /** Records a new sandbox and, in the same transaction, its rules and the request it answers. */
  void insert(
      Sandbox sandbox, Optional<CheckpointRules> rules, Optional<IdempotentRequest> request) {
    Change<Boolean> change =
        session -> {
          requireNameFree(session, sandbox.spec().name());
          insertSandbox(session, sandbox);
          insertAll(session, INSERT_ENV, sandbox.id(), sandbox.spec().env());
          insertAll(session, INSERT_LABEL, sandbox.id(), sandbox.spec().labels());
          insertVolumes(session, sandbox);
          NetworkRows.put(session, sandbox.id(), sandbox.spec().network());
          if (rules.isPresent()) {
            RulesLedger.put(session, sandbox.id(), rules.get());
          }
          if (request.isPresent()) {
            insertRequest(session, request.get(), sandbox);
          }
          return true;
        };
    if (sandbox.state() instanceof SandboxState.Starting) {
      ledger.writeAhead(change);
    } else {
      ledger.write(change);
    }
  }

  void updateState(Sandbox sandbox) {
    ledger.write(session -> updateState(session, sandbox));
  }

  void updateLabels(SandboxId id, Map<String, String> labels) {
    ledger.write(session -> {
      session.run("delete from sandbox_label where sandbox_id = ?", id.value());
      insertAll(session, INSERT_LABEL, id, labels);
      return true;
    });
  }

  void updateNetwork(SandboxId id, NetworkSettings settings) {
    ledger.write(session -> NetworkRows.put(session, id, settings));
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
    ledger.writeAhead(session ->
        session.run(
            "insert or replace into sandbox_rebuild (sandbox_id, undo) values (?, ?)",
            id.value(),
            undo.value()));
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

  Optional<Answered> findAnswered(String idempotencyKey, Instant now) {
    long oldest = Micros.of(now.minus(KEYS_KEPT));
    return ledger
        .read(session ->
            session.query(
                """
                select request_hash, sandbox_id from idempotency
                where key = ? and created_at >= ?
                """,
                row -> new Answered(row.getString(1), new SandboxId(row.getString(2))),
                idempotencyKey,
                oldest))
        .stream()
        .findFirst();
  }

  /** The request that an existing or former sandbox answered. */
  record Answered(String requestHash, SandboxId sandbox) {}

  /**
   * Notes under which boot of the host the ledger is now in use.
   *
   * @return true when it was last in use under another
   */
  boolean noteBoot(String bootId) {
    return ledger.write(session -> {
      List<String> before = session.query("select boot_id from host", row -> row.getString(1));
      session.run("insert or replace into host (one, boot_id) values (1, ?)", bootId);
      return !before.isEmpty() && !before.contains(bootId);
    });
  }

  /** Writes what was found at start-up in one go. */
  void settle(List<Sandbox> changed, List<SandboxId> gone, List<SandboxId> neverWere) {
    ledger.write(session -> {
      for (Sandbox sandbox : changed) {
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

  private static void requireNameFree(Session session, String name) throws SQLException {
    List<String> holders =
        session.query(
            "select id from sandbox where name_key = ? and state <> 'deleted'",
            row -> row.getString(1),
            SandboxName.key(name));
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
                             base, user, cwd, entrypoint)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
        Words.encode(spec.template().entrypoint()));
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
        "insert into idempotency (key, request_hash, sandbox_id, created_at) values (?, ?, ?, ?)",
        request.key(),
        request.hash(),
        sandbox.id().value(),
        now);
  }

  private static int updateState(Session session, Sandbox sandbox) throws SQLException {
    return session.run(
        "update sandbox set state = ?, state_since = ?, state_reason = ? where id = ?",
        sandbox.state().publicName(),
        since(sandbox.state()),
        reason(sandbox.state()),
        sandbox.id().value());
  }

  private static int delete(Session session, SandboxId id) throws SQLException {
    return session.run("delete from sandbox where id = ?", id.value());
  }

  private static int forget(Session session, SandboxId id) throws SQLException {
    session.run("delete from idempotency where sandbox_id = ?", id.value());
    return delete(session, id);
  }

  private static Map<String, List<VolumeMount>> volumes(Session session) throws SQLException {
    return OwnedRows.lists(
        session,
        "select sandbox_id, target, volume_id, read_only from sandbox_volume",
        row ->
            new VolumeMount(new VolumeId(row.getString(3)), row.getString(2), row.getInt(4) != 0));
  }

  private static Sandbox sandbox(
      ResultSet row,
      Map<String, Map<String, String>> env,
      Map<String, Map<String, String>> labels,
      Map<String, List<VolumeMount>> volumes,
      Map<String, NetworkSettings> networks)
      throws SQLException {
    String id = row.getString(1);
    var resources = new Resources(row.getInt(5), row.getInt(6), row.getInt(7), row.getInt(8));
    String tier = row.getString(4);
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
            networks.getOrDefault(id, NetworkSettings.NOTHING));
    return new Sandbox(
        new SandboxId(id),
        spec,
        state(row.getString(9), row.getLong(10), row.getString(11)),
        Micros.toInstant(row.getLong(12)),
        Optional.ofNullable(row.getString(13)).map(SandboxId::new));
  }

  private static SandboxState state(String word, long since, @Nullable String reason) {
    String why = reason == null ? "" : reason;
    return switch (word) {
      case "requested" -> new SandboxState.Requested();
      case "starting" -> new SandboxState.Starting();
      case "running" -> new SandboxState.Running(Micros.toInstant(since));
      case "paused" -> new SandboxState.Paused(Micros.toInstant(since));
      case "stopped" -> new SandboxState.Stopped(why);
      case "failed" -> new SandboxState.Failed(why);
      case "deleted" -> new SandboxState.Deleted();
      default -> throw new IllegalStateException("The ledger has a state " + word);
    };
  }

  private static @Nullable Long since(SandboxState state) {
    return switch (state) {
      case SandboxState.Running running -> Micros.of(running.since());
      case SandboxState.Paused paused -> Micros.of(paused.since());
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Stopped _,
          SandboxState.Failed _,
          SandboxState.Deleted _ ->
          null;
    };
  }

  private static @Nullable String reason(SandboxState state) {
    return switch (state) {
      case SandboxState.Stopped stopped -> stopped.reason();
      case SandboxState.Failed failed -> failed.reason();
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Running _,
          SandboxState.Paused _,
          SandboxState.Deleted _ ->
          null;
    };
  }
}
