package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Usage;
import dev.cove.sdk.UsageQuery;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Shows what was used. */
final class UsageVerb implements Callable<Integer> {
  private static final BigDecimal SECONDS_PER_HOUR = BigDecimal.valueOf(3_600);
  private static final BigDecimal MB_SECONDS_PER_GB_HOUR = BigDecimal.valueOf(1024L * 3_600);

  private final Session session;

  private String group = "sandbox";

  private Optional<String> from = Optional.empty();

  private Optional<String> to = Optional.empty();

  private Optional<String> box = Optional.empty();

  private final ProjectFlag project = new ProjectFlag();

  private boolean csv;

  private boolean json;

  private UsageVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var usage = new UsageVerb(session);
    return Description.of(usage, "Show what sandboxes have used, also those that are gone.")
        .text(
            "--by",
            "GROUP",
            "sandbox, project, hour, day, total, or label: and a label's name. Else by sandbox.",
            group -> usage.group = group)
        .text(
            "--from",
            "TIME",
            "From that day or time on, in UTC. Else from the first of this month.",
            time -> usage.from = Optional.of(time))
        .text(
            "--to",
            "TIME",
            "Up to the begin of that day, or that time. Else up to now.",
            time -> usage.to = Optional.of(time))
        .text("--box", "BOX", "Only of that sandbox.", box -> usage.box = Optional.of(box))
        .with(usage.project::describeList)
        .flag("--csv", "Print it for a spreadsheet.", () -> usage.csv = true)
        .flag("--json", "Print a JSON array.", () -> usage.json = true)
        .examples(
            "cove usage",
            "cove usage --by day --from 2026-11-01 --csv",
            "cove usage --by label:team")
        .note(
            "CPU is processor time used; MEM and DISK are gigabytes in use times hours; SENT and"
                + " RECEIVED went through the gateway. A cost is shown where the server has"
                + " prices.")
        .build();
  }

  @Override
  public Integer call() {
    if (csv && json) {
      throw new UserError("Give --csv or --json, not both.");
    }
    var query = new UsageQuery(group, from, to, box);
    try (Cove cove = project.of(session).connect()) {
      if (csv) {
        session.print(cove.usageCsv(query));
      } else {
        print(cove.usage(query));
      }
    }
    return ExitCode.OK;
  }

  private void print(Usage usage) {
    if (json) {
      session.println(JsonLines.array(usage.items(), Usage.Item::toJson));
      return;
    }
    var table =
        new Table(
            group.toUpperCase(Locale.ROOT),
            "NAME",
            "CPU",
            "MEM GBh",
            "DISK GBh",
            "SENT",
            "RECEIVED",
            "RUNNING",
            "PAUSED",
            "STOPPED",
            "COST");
    for (Usage.Item item : usage.items()) {
      table.row(
          item.key().isEmpty() ? "-" : item.key(),
          item.name().orElse("-"),
          item.cpuSeconds().setScale(2, RoundingMode.HALF_EVEN) + "s",
          gigabyteHours(item.memoryMbSeconds()),
          gigabyteHours(item.diskMbSeconds()),
          Human.bytes(item.sentBytes()),
          Human.bytes(item.receivedBytes()),
          hours(item.runningSeconds()),
          hours(item.pausedSeconds()),
          hours(item.stoppedSeconds()),
          item.cost()
              .map(cost -> cost.toPlainString() + " " + usage.currency().orElse(""))
              .orElse("-"));
    }
    table.print(session.printer(), session.colours());
  }

  private static String gigabyteHours(BigDecimal megabyteSeconds) {
    return megabyteSeconds
        .divide(MB_SECONDS_PER_GB_HOUR, 4, RoundingMode.HALF_EVEN)
        .toPlainString();
  }

  private static String hours(BigDecimal seconds) {
    return seconds.divide(SECONDS_PER_HOUR, 2, RoundingMode.HALF_EVEN).toPlainString() + "h";
  }
}
