package dev.cove.control.usage;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.project.Scope;
import dev.cove.control.usage.UsagePage.Item;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** What was used, to be read. */
public final class Usage {
  private static final String SELECT_SUMS =
      """
      , sum(u.cpu_micros), sum(u.memory_kib_seconds), sum(u.disk_kib_seconds), sum(u.sent_bytes),
      sum(u.received_bytes), sum(u.running_millis), sum(u.paused_millis), sum(u.stopped_millis),
      max(m.name), max(u.project)
      from usage u left join metered m on m.sandbox_id = u.sandbox_id
      """;

  private static final String WHERE =
      """
      where u.start >= ? and u.start < ?
        and (? = '' or u.sandbox_id = ? or m.name = ?) and (? = '' or u.project = ?)
      group by key having ? or key > ? order by key limit ?
      """;

  private static final String BY_SANDBOX = "select u.sandbox_id as key" + SELECT_SUMS + WHERE;
  private static final String BY_PROJECT = "select u.project as key" + SELECT_SUMS + WHERE;
  private static final String BY_HOUR =
      "select strftime('%Y-%m-%dT%H:00:00Z', u.start, 'unixepoch') as key" + SELECT_SUMS + WHERE;
  private static final String BY_DAY =
      "select strftime('%Y-%m-%d', u.start, 'unixepoch') as key" + SELECT_SUMS + WHERE;
  private static final String TOTAL = "select '' as key" + SELECT_SUMS + WHERE;
  private static final String BY_LABEL =
      "select coalesce(l.value, '') as key"
          + SELECT_SUMS
          + "left join metered_label l on l.sandbox_id = u.sandbox_id and l.name = ? "
          + WHERE;

  private final Ledger ledger;
  private final Optional<Prices> prices;

  public Usage(Ledger ledger, Optional<Prices> prices) {
    this.ledger = ledger;
    this.prices = prices;
  }

  /** What it costs, where the operator has said so. */
  public Optional<Prices> prices() {
    return prices;
  }

  public UsagePage page(UsageQuery query) {
    query.sandbox().ifPresent(sandbox -> requireKnown(sandbox, project(query)));
    Optional<String> after = query.after().map(Usage::decode);
    boolean ofSandbox = query.group().kind() == Grouping.Kind.SANDBOX;
    List<Item> found =
        ledger.read(session ->
            session.query(
                sql(query.group().kind()), row -> item(row, ofSandbox), values(query, after)));
    if (found.size() <= query.limit()) {
      return new UsagePage(found, Optional.empty());
    }
    List<Item> items = found.subList(0, query.limit());
    return new UsagePage(items, Optional.of(encode(items.getLast().key())));
  }

  /** The caller's own; only who sees all may choose. */
  private static String project(UsageQuery query) {
    return Scope.current().project().map(ProjectName::value).or(query::project).orElse("");
  }

  private static Object[] values(UsageQuery query, Optional<String> after) {
    String sandbox = query.sandbox().orElse("");
    String project = project(query);
    List<Object> values =
        List.of(
            query.from().getEpochSecond(),
            query.to().getEpochSecond(),
            sandbox,
            sandbox,
            sandbox,
            project,
            project,
            after.isEmpty() ? 1 : 0,
            after.orElse(""),
            query.limit() + 1);
    if (query.group().kind() != Grouping.Kind.LABEL) {
      return values.toArray();
    }
    var withLabel = new ArrayList<Object>(values);
    withLabel.addFirst(query.group().label());
    return withLabel.toArray();
  }

  private static String sql(Grouping.Kind kind) {
    return switch (kind) {
      case SANDBOX -> BY_SANDBOX;
      case PROJECT -> BY_PROJECT;
      case LABEL -> BY_LABEL;
      case HOUR -> BY_HOUR;
      case DAY -> BY_DAY;
      case TOTAL -> TOTAL;
    };
  }

  private static Item item(ResultSet row, boolean ofSandbox) throws SQLException {
    return new Item(
        row.getString(1),
        ofSandbox ? Optional.ofNullable(row.getString(10)) : Optional.empty(),
        ofSandbox ? Optional.ofNullable(row.getString(11)) : Optional.empty(),
        AccountRows.amounts(row, 2));
  }

  private void requireKnown(String sandbox, String project) {
    List<Integer> found =
        ledger.read(session ->
            session.query(
                """
                select 1 from metered
                where (sandbox_id = ? or name = ?) and (? = '' or project = ?) limit 1
                """,
                row -> row.getInt(1),
                sandbox,
                sandbox,
                project,
                project));
    if (found.isEmpty()) {
      throw new CoveException(
          ErrorCode.NOT_FOUND, "There is and was no such sandbox, as far as usage is kept.");
    }
  }

  private static String encode(String key) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(key.getBytes(StandardCharsets.UTF_8));
  }

  private static String decode(String cursor) {
    try {
      return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "cursor must be one that an answer gave as nextCursor.", e);
    }
  }
}
