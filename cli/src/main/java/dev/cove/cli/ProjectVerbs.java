package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Projects.Project;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Makes, shows and ends the tenants of a server. */
final class ProjectVerbs {
  private ProjectVerbs() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Make, show and end projects: tenants that know nothing of others.")
        .verb("create", Create.describe(session))
        .verb("ls", Ls.describe(session))
        .verb("show", Show.describe(session))
        .verb("set", Set.describe(session))
        .verb("rm", Rm.describe(session))
        .examples(
            "cove project create shop",
            "cove project set shop --sandboxes 20 --memory 16G",
            "cove key create --in shop shop-backend")
        .note("For operators. The project default is always there.")
        .build();
  }

  private static final class Create implements Callable<Integer> {
    private final Session session;

    private String name = "";

    private boolean json;

    private Create(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var create = new Create(session);
      return Description.of(create, "Make a project.")
          .flag("--json", "Print it as JSON.", () -> create.json = true)
          .parameter(
              "NAME", "1 to 40 lower-case letters, digits and hyphens.", name -> create.name = name)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Project made = cove.projects().create(name);
        session.println(json ? made.toJson() : made.name());
      }
      return ExitCode.OK;
    }
  }

  private static final class Ls implements Callable<Integer> {
    private final Session session;

    private boolean json;

    private Ls(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var ls = new Ls(session);
      return Description.of(ls, "List projects.")
          .flag("--json", "Print a JSON array.", () -> ls.json = true)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Listing.print(session, json, cove.projects().list(), Project::toJson, ProjectVerbs::table);
      }
      return ExitCode.OK;
    }
  }

  private static final class Show implements Callable<Integer> {
    private final Session session;

    private String name = "";

    private boolean json;

    private Show(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var show = new Show(session);
      return Description.of(show, "Show one project.")
          .flag("--json", "Print it as JSON.", () -> show.json = true)
          .parameter("NAME", "Which one.", name -> show.name = name)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Project project = cove.projects().require(name);
        if (json) {
          session.println(project.toJson());
        } else {
          table(List.of(project)).print(session.printer(), session.colours());
        }
      }
      return ExitCode.OK;
    }
  }

  private static Table table(List<Project> projects) {
    var table =
        new Table(
            "NAME",
            "AGE",
            "TIER",
            "SANDBOXES",
            "CPUS",
            "MEMORY",
            "DISK",
            "CREATES/MIN",
            "EGRESS/DAY");
    Instant now = Instant.now();
    for (Project project : projects) {
      table.row(
          project.name(),
          Human.age(project.createdAt(), now),
          project.tier(),
          amount(project, "sandboxes", Human::number),
          amount(project, "cpus", Human::number),
          amount(project, "memoryMb", mb -> Human.megabytes(mb.intValue())),
          amount(project, "diskMb", mb -> Human.megabytes(mb.intValue())),
          amount(project, "createsPerMinute", Human::number),
          amount(project, "egressMbPerDay", mb -> Human.megabytes(mb.intValue())));
    }
    return table;
  }

  /** What is used, and of how much. */
  private static String amount(Project project, String quota, Function<Double, String> text) {
    String used = text.apply(project.used().getOrDefault(quota, 0.0));
    Double limit = project.quotas().get(quota);
    return limit == null ? used : used + " of " + text.apply(limit);
  }

  private static final class Set implements Callable<Integer> {
    private static final String NONE = "none";

    private final Session session;

    private final Map<String, OptionalDouble> quotas = new HashMap<>();

    private Optional<String> tier = Optional.empty();

    private String name = "";

    private boolean json;

    private Set(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var set = new Set(session);
      return Description.of(set, "Say how much a project may have; what is not named stays.")
          .text("--sandboxes", "N", "That exist.", value -> set.number("sandboxes", value))
          .text(
              "--cpus",
              "N",
              "Of sandboxes that run or are paused, as in 2.5.",
              value -> set.number("cpus", value))
          .text(
              "--memory",
              "SIZE",
              "Limits of the same sandboxes, as in 16G.",
              value -> set.size("memoryMb", value))
          .text(
              "--disk",
              "SIZE",
              "Limits of all sandboxes, and sizes of volumes.",
              value -> set.size("diskMb", value))
          .text(
              "--creates-per-minute",
              "N",
              "Sandboxes made, forks included.",
              value -> set.number("createsPerMinute", value))
          .text(
              "--egress-per-day",
              "SIZE",
              "What its sandboxes send and receive in a day of UTC.",
              value -> set.size("egressMbPerDay", value))
          .text(
              "--tier",
              "TIER",
              "What its sandboxes get when nobody names one; 'usual' for what the server gives.",
              value -> set.tier = Optional.of(value))
          .flag("--json", "Print it as JSON.", () -> set.json = true)
          .parameter("NAME", "Which one.", name -> set.name = name)
          .examples("cove project set shop --sandboxes 20 --memory 16G --disk none")
          .note(
              "With 'none' there is no limit any more. What there is already stays, but for"
                  + " connections to the world when the day's bytes are spent.")
          .build();
    }

    private void number(String quota, String value) {
      try {
        quotas.put(
            quota,
            value.equals(NONE)
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(value)));
      } catch (NumberFormatException _) {
        throw new TypeConversionException("'" + value + "' is neither a number nor none");
      }
    }

    private void size(String quota, String value) {
      quotas.put(
          quota,
          value.equals(NONE)
              ? OptionalDouble.empty()
              : OptionalDouble.of(new Megabytes().convert(value).count()));
    }

    @Override
    public Integer call() {
      if (quotas.isEmpty() && tier.isEmpty()) {
        throw new Misuse("Say which quota, for example --sandboxes 20, or --tier");
      }
      try (Cove cove = session.connect()) {
        Project project = changed(cove);
        if (json) {
          session.println(project.toJson());
        } else {
          table(List.of(project)).print(session.printer(), session.colours());
        }
      }
      return ExitCode.OK;
    }

    private Project changed(Cove cove) {
      Optional<Project> withTier = tier.map(wanted -> cove.projects().changeTier(name, wanted));
      return quotas.isEmpty() ? withTier.orElseThrow() : cove.projects().change(name, quotas);
    }
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;

    private List<String> names = List.of();

    private Rm(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var rm = new Rm(session);
      return Description.of(rm, "End projects that have nothing any more.")
          .parameters("1..*", "NAME", "Which ones.", names -> rm.names = names)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        names.forEach(cove.projects()::delete);
      }
      return ExitCode.OK;
    }
  }
}
