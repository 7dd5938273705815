package dev.cove.control.project;

import dev.cove.control.key.ApiKeys;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.Session;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.Tier;
import dev.cove.model.secret.SecretName;
import dev.cove.node.NodeSecrets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The projects that there are. Safe for use by many threads. */
public final class Projects {
  public static final int MAX_PROJECTS = 1_000;

  private static final int BITS_OF_A_MB = 20;

  private static final Logger log = LoggerFactory.getLogger(Projects.class);

  private final Ledger ledger;
  private final ApiKeys keys;
  private final NodeSecrets secrets;
  private final Clock clock;
  private final Map<ProjectName, Project> all = new ConcurrentSkipListMap<>();
  private volatile EgressLimits egress = (_, _) -> {};

  /** Held while projects come and go. */
  private final ReentrantLock changing = new ReentrantLock();

  private Projects(Ledger ledger, ApiKeys keys, NodeSecrets secrets, Clock clock) {
    this.ledger = ledger;
    this.keys = keys;
    this.secrets = secrets;
    this.clock = clock;
  }

  public static Projects open(Ledger ledger, ApiKeys keys, NodeSecrets secrets, Clock clock) {
    var projects = new Projects(ledger, keys, secrets, clock);
    ledger
        .read(session ->
            session.query(
                """
                select name, created_at, sandboxes, milli_cpus, memory_mb, disk_mb,
                       creates_per_minute, egress_mb_per_day, tier
                from project
                """,
                Projects::project))
        .forEach(project -> projects.all.put(project.name(), project));
    return projects;
  }

  private static Project project(ResultSet row) throws SQLException {
    var quotas = new EnumMap<Quota, Long>(Quota.class);
    for (Quota quota : Quota.values()) {
      long limit = row.getLong(quota.column());
      if (!row.wasNull()) {
        quotas.put(quota, limit);
      }
    }
    return new Project(
        new ProjectName(row.getString(1)),
        Micros.toInstant(row.getLong(2)),
        quotas,
        Optional.ofNullable(row.getString("tier")).flatMap(Tier::find));
  }

  /** Tells how much may pass between projects' sandboxes and the world, now and from now on. */
  public void limitEgress(EgressLimits limits) {
    changing.lock();
    try {
      egress = limits;
      all.values().forEach(this::limitEgress);
    } finally {
      changing.unlock();
    }
  }

  private void limitEgress(Project project) {
    Long limit = project.quotas().get(Quota.EGRESS_MB_PER_DAY);
    egress.limit(
        project.name(),
        limit == null ? OptionalLong.empty() : OptionalLong.of(limit << BITS_OF_A_MB));
  }

  /** Whoever keeps sandboxes from sending and receiving more than their project may. */
  @FunctionalInterface
  public interface EgressLimits {
    /**
     * @param bytesPerDay empty for as many as they like
     */
    void limit(ProjectName project, OptionalLong bytesPerDay);
  }

  /** How much a project may have. */
  public Map<Quota, Long> quotas(ProjectName name) {
    Project project = all.get(name);
    return project == null ? Map.of() : project.quotas();
  }

  /** Which tier sandboxes of a project get when nobody names one, if that is said. */
  public Optional<Tier> tier(ProjectName name) {
    return Optional.ofNullable(all.get(name)).flatMap(Project::tier);
  }

  /** By name. */
  public List<Project> list() {
    return List.copyOf(all.values());
  }

  /**
   * @throws CoveException NOT_FOUND also for what can be no name
   */
  public Project require(String name) {
    Project found = ProjectName.isValid(name) ? all.get(new ProjectName(name)) : null;
    if (found == null) {
      throw noSuchProject();
    }
    return found;
  }

  private static CoveException noSuchProject() {
    return new CoveException(ErrorCode.NOT_FOUND, "There is no such project.");
  }

  public Project create(String name, Map<Quota, Long> quotas, Optional<Tier> tier) {
    quotas.forEach(Projects::requireLimit);
    ProjectName valid = valid(name);
    changing.lock();
    try {
      if (all.containsKey(valid)) {
        throw new CoveException(ErrorCode.CONFLICT, "The name is taken; choose another.");
      }
      if (all.size() >= MAX_PROJECTS) {
        throw new CoveException(
            ErrorCode.CONFLICT,
            "There are %d projects, which is the most there may be; delete one first."
                .formatted(MAX_PROJECTS));
      }
      forgetSecrets(valid); // of one that had the same name, should any have been left
      var project = new Project(valid, Micros.now(clock), quotas, tier);
      ledger.write(session -> {
        session.run(
            "insert into project (name, created_at) values (?, ?)",
            valid.value(),
            Micros.of(project.createdAt()));
        return update(session, project);
      });
      all.put(valid, project);
      limitEgress(project);
      log.info("project {} made", valid);
      return project;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Sets the quotas that have a value and drops those that have none; others stay.
   *
   * @param tier says which one it is to be, given that it is now
   */
  public Project change(
      String name, Map<Quota, Optional<Long>> changes, UnaryOperator<Optional<Tier>> tier) {
    changes.forEach((quota, limit) -> limit.ifPresent(value -> requireLimit(quota, value)));
    changing.lock();
    try {
      Project now = require(name);
      var quotas = new HashMap<>(now.quotas());
      changes.forEach((quota, limit) ->
          limit.ifPresentOrElse(value -> quotas.put(quota, value), () -> quotas.remove(quota)));
      var next = new Project(now.name(), now.createdAt(), quotas, tier.apply(now.tier()));
      ledger.write(session -> update(session, next));
      all.put(next.name(), next);
      limitEgress(next);
      return next;
    } finally {
      changing.unlock();
    }
  }

  private static int update(Session session, Project project) throws SQLException {
    Map<Quota, Long> quotas = project.quotas();
    return session.run(
        """
        update project set sandboxes = ?, milli_cpus = ?, memory_mb = ?, disk_mb = ?,
                           creates_per_minute = ?, egress_mb_per_day = ?, tier = ?
        where name = ?
        """,
        quotas.get(Quota.SANDBOXES),
        quotas.get(Quota.MILLI_CPUS),
        quotas.get(Quota.MEMORY_MB),
        quotas.get(Quota.DISK_MB),
        quotas.get(Quota.CREATES_PER_MINUTE),
        quotas.get(Quota.EGRESS_MB_PER_DAY),
        project.tier().map(Tier::publicName).orElse(null),
        project.name().value());
  }

  private static void requireLimit(Quota quota, long limit) {
    if (limit < 0 || limit > Quota.MOST) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "The quota %s must be between 0 and %s."
              .formatted(quota.publicName(), quota.text(Quota.MOST)));
    }
  }

  /** Ends a project that has nothing any more. */
  public void delete(String name) {
    ProjectName gone = require(name).name();
    if (gone.isDefault()) {
      throw new CoveException(ErrorCode.CONFLICT, "The project default cannot be deleted.");
    }
    changing.lock();
    try {
      int kept = secrets.list(gone).size();
      if (kept > 0) {
        throw notEmpty(gone, kept, "secrets");
      }
      ledger.write(session -> {
        requireEmpty(session, gone);
        session.run("delete from api_key where project = ?", gone.value());
        session.run("delete from idempotency where project = ?", gone.value());
        return session.run("delete from project where name = ?", gone.value());
      });
      all.remove(gone);
      egress.limit(gone, OptionalLong.empty());
      keys.forget(gone);
      forgetSecrets(gone);
      log.info("project {} gone", gone);
    } finally {
      changing.unlock();
    }
  }

  /** What a project may have, and how many of it there are. */
  private static final Map<String, String> CONTENTS =
      Map.of(
          "sandboxes", "select count(*) from sandbox where project = ?",
          "checkpoints", "select count(*) from checkpoint where project = ?",
          "volumes and checkpoints of them", "select count(*) from volume where project = ?",
          "versions of templates", "select count(*) from template_version where project = ?",
          "webhooks", "select count(*) from webhook where project = ?",
          "valid keys", "select count(*) from api_key where project = ? and revoked_at is null");

  private static void requireEmpty(Session session, ProjectName project) throws SQLException {
    for (var content : CONTENTS.entrySet()) {
      long count =
          session.query(content.getValue(), row -> row.getLong(1), project.value()).getFirst();
      if (count > 0) {
        throw notEmpty(project, count, content.getKey());
      }
    }
  }

  private static CoveException notEmpty(ProjectName project, long count, String what) {
    return new CoveException(
        ErrorCode.CONFLICT,
        "Project %s still has %s (%d); remove them first.".formatted(project, what, count));
  }

  private void forgetSecrets(ProjectName project) {
    for (NodeSecrets.Kept kept : secrets.list(project)) {
      SecretName name = kept.name();
      secrets.remove(name);
    }
  }

  /**
   * Refuses to write down what would be of a project that has just gone.
   *
   * @throws CoveException NOT_FOUND
   */
  public static void requireThere(Session session, ProjectName project) throws SQLException {
    if (session
        .query("select 1 from project where name = ?", row -> row.getInt(1), project.value())
        .isEmpty()) {
      throw noSuchProject();
    }
  }

  private static ProjectName valid(String name) {
    try {
      return new ProjectName(name);
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }
}
