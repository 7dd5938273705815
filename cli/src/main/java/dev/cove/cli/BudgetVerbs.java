package dev.cove.cli;

import dev.cove.sdk.Budget;
import dev.cove.sdk.BudgetLimits;
import dev.cove.sdk.Cove;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Says how much a sandbox, or a project with all its sandboxes, may use. */
final class BudgetVerbs {
  private static final String NOTE =
      "At the warning an event budget.warned is told. When all is used, the sandbox is paused with"
          + " its work, and does not run until the budget is raised or the period ends.";

  private BudgetVerbs() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Say how much a sandbox may use, and show how much it has.")
        .verb("show", Show.describe(session))
        .verb("set", Set.describe(session))
        .verb("rm", Remove.describe(session))
        .examples("cove budget set box --cpu-seconds 3600 --each day", "cove budget show box")
        .build();
  }

  /** Whose budget it is. */
  private static final class Holder {
    private Optional<String> box = Optional.empty();
    private Optional<String> project = Optional.empty();

    void describe(Description description) {
      description
          .text(
              "--project",
              "PROJECT",
              "Not of a sandbox but of all in that project; for operators.",
              name -> project = Optional.of(name))
          .optionalParameter("BOX", "The sandbox's id or name.", name -> box = Optional.of(name));
    }

    Optional<Budget> find(Cove cove) {
      return project
          .map(name -> cove.budgets().ofProject(name))
          .orElseGet(() -> cove.budgets().ofSandbox(sandbox()));
    }

    Budget set(Cove cove, BudgetLimits limits) {
      return project
          .map(name -> cove.budgets().setForProject(name, limits))
          .orElseGet(() -> cove.budgets().setForSandbox(sandbox(), limits));
    }

    void remove(Cove cove) {
      project.ifPresentOrElse(
          name -> cove.budgets().removeFromProject(name),
          () -> cove.budgets().removeFromSandbox(sandbox()));
    }

    private String sandbox() {
      return box.orElseThrow(() -> new UserError("Name a sandbox, or a project with --project."));
    }
  }

  private static void print(Session session, Budget budget, boolean json) {
    if (json) {
      session.println(budget.toJson());
      return;
    }
    var table = new Table("WHAT", "SPENT", "OF");
    budget
        .cpuSeconds()
        .ifPresent(most ->
            table.row("cpu seconds", budget.spent().cpuSeconds().toPlainString(), most.toString()));
    budget
        .egressBytes()
        .ifPresent(most ->
            table.row("egress", Human.bytes(budget.spent().egressBytes()), Human.bytes(most)));
    budget
        .cost()
        .ifPresent(most ->
            table.row(
                "cost",
                budget.spent().cost().map(BigDecimal::toPlainString).orElse("-"),
                most.toPlainString()));
    table.print(session.printer(), session.colours());
    session.println(
        "%s; each %s%s, warning at %d%%"
            .formatted(
                budget.level(),
                budget.period(),
                budget.until().map(end -> " until " + end).orElse(""),
                budget.warnPercent()));
  }

  private static final class Show implements Callable<Integer> {
    private final Session session;
    private final Holder holder = new Holder();
    private boolean json;

    private Show(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var show = new Show(session);
      return Description.of(show, "Show a budget and what has been taken of it.")
          .flag("--json", "Print it as JSON.", () -> show.json = true)
          .with(show.holder::describe)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        print(
            session,
            holder.find(cove).orElseThrow(() -> new UserError("There is no budget.")),
            json);
      }
      return ExitCode.OK;
    }
  }

  private static final class Set implements Callable<Integer> {
    private final Session session;
    private final Holder holder = new Holder();
    private BudgetLimits limits = BudgetLimits.each("total");
    private boolean json;

    private Set(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var set = new Set(session);
      return Description.of(set, "Set a budget, in place of the one before.")
          .value(
              "--cpu-seconds",
              "SECONDS",
              "So much processor time.",
              BudgetVerbs::number,
              Long.class,
              most -> set.limits = set.limits.cpuSeconds(most))
          .value(
              "--egress-mb",
              "MB",
              "So much sent and received through the gateway, together.",
              BudgetVerbs::number,
              Long.class,
              most -> set.limits = set.limits.egressBytes(most << 20))
          .value(
              "--cost",
              "AMOUNT",
              "So much by the server's prices.",
              BudgetVerbs::decimal,
              BigDecimal.class,
              most -> set.limits = set.limits.cost(most))
          .text(
              "--each",
              "PERIOD",
              "day, month, or total, which is the usual: in all.",
              period ->
                  set.limits =
                      new BudgetLimits(
                          period,
                          set.limits.cpuSeconds(),
                          set.limits.egressBytes(),
                          set.limits.cost(),
                          set.limits.warnPercent()))
          .value(
              "--warn",
              "PERCENT",
              "At which part of it to tell of it; usually 80.",
              BudgetVerbs::number,
              Long.class,
              percent -> set.limits = set.limits.warnPercent((int) Math.min(percent, 1_000)))
          .flag("--json", "Print it as JSON.", () -> set.json = true)
          .with(set.holder::describe)
          .note(NOTE)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        print(session, holder.set(cove, limits), json);
      }
      return ExitCode.OK;
    }
  }

  private static final class Remove implements Callable<Integer> {
    private final Session session;
    private final Holder holder = new Holder();

    private Remove(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var remove = new Remove(session);
      return Description.of(remove, "Let it use what it likes.")
          .with(remove.holder::describe)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        holder.remove(cove);
      }
      return ExitCode.OK;
    }
  }

  static Long number(String text) {
    if (!text.matches("[0-9]{1,12}")) {
      throw new TypeConversionException("'" + text + "' is not a whole number");
    }
    return Long.valueOf(text);
  }

  static BigDecimal decimal(String text) {
    if (!text.matches("[0-9]{1,12}(\\.[0-9]{1,6})?")) {
      throw new TypeConversionException("'" + text + "' is not a decimal number such as 2.50");
    }
    return new BigDecimal(text);
  }
}
