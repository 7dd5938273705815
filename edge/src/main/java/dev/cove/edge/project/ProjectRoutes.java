package dev.cove.edge.project;

import dev.cove.control.project.Project;
import dev.cove.control.project.Projects;
import dev.cove.control.project.Quota;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.tier.TierBody;
import dev.cove.model.Tier;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The routes of projects. */
public final class ProjectRoutes {
  private static final String ALL = "/api/v1/projects";
  private static final String ONE = ALL + "/{project}";

  /** For a project that gets what the server gives. */
  private static final String USUAL = "usual";

  private final Projects projects;
  private final SandboxLifecycle lifecycle;

  public ProjectRoutes(Projects projects, SandboxLifecycle lifecycle) {
    this.projects = projects;
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::create).forOperators(),
        Route.of("GET", ALL, this::list).forOperators(),
        Route.of("GET", ONE, this::show).forOperators(),
        Route.of("PATCH", ONE, this::change).forOperators(),
        Route.of("DELETE", ONE, this::delete).forOperators());
  }

  private void create(Exchange exchange) throws IOException {
    CreateBody body = exchange.json(CreateBody.class);
    Project made =
        projects.create(
            Fields.require("name", body.name()),
            limits(body.quotas()),
            Optional.ofNullable(body.tier()).flatMap(ProjectRoutes::tier));
    exchange.withHeader("Location", ALL + "/" + made.name()).send(201, shown(made));
  }

  private void list(Exchange exchange) {
    exchange.send(200, new ListBody(projects.list().stream().map(this::shown).toList()));
  }

  private void show(Exchange exchange) {
    exchange.send(200, shown(projects.require(exchange.path("project"))));
  }

  private void change(Exchange exchange) throws IOException {
    ChangeBody body = exchange.json(ChangeBody.class);
    if (body.quotas() == null && body.tier() == null) {
      throw new IllegalArgumentException("Give quotas, tier or both");
    }
    var changes = new EnumMap<Quota, Optional<Long>>(Quota.class);
    if (body.quotas() != null) {
      body.quotas()
          .forEach((name, limit) -> {
            Quota quota = quota(name);
            changes.put(quota, Optional.ofNullable(limit).map(value -> amount(quota, value)));
          });
    }
    UnaryOperator<Optional<Tier>> tier = tierChange(body.tier());
    exchange.send(200, shown(projects.change(exchange.path("project"), changes, tier)));
  }

  private static UnaryOperator<Optional<Tier>> tierChange(@Nullable String name) {
    if (name == null) {
      return now -> now;
    }
    Optional<Tier> next = tier(name);
    return _ -> next;
  }

  /** Empty for the server's usual one. */
  private static Optional<Tier> tier(String name) {
    return name.equals(USUAL) ? Optional.empty() : Optional.of(TierBody.requireTier(name));
  }

  private static Map<Quota, Long> limits(@Nullable Map<String, @Nullable BigDecimal> wanted) {
    var limits = new EnumMap<Quota, Long>(Quota.class);
    if (wanted != null) {
      wanted.forEach((name, limit) -> {
        Quota quota = quota(name);
        limits.put(quota, amount(quota, Fields.require("quotas." + name, limit)));
      });
    }
    return limits;
  }

  private static Quota quota(String name) {
    return Quota.find(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "quotas may have "
                    + String.join(
                        ", ", Arrays.stream(Quota.values()).map(Quota::publicName).toList())
                    + " and nothing else"));
  }

  /** In the units of the ledger. */
  private static long amount(Quota quota, BigDecimal given) {
    try {
      BigDecimal amount = quota == Quota.MILLI_CPUS ? given.movePointRight(3) : given;
      return amount.longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          quota == Quota.MILLI_CPUS
              ? "quotas.cpus must be a number with at most three places after the point"
              : "quotas.%s must be a whole number".formatted(quota.publicName()),
          e);
    }
  }

  private ProjectBody shown(Project project) {
    return new ProjectBody(
        project.name().value(),
        project.createdAt(),
        project.tier().map(Tier::publicName).orElse(USUAL),
        numbers(project.quotas()),
        numbers(lifecycle.used(project.name())));
  }

  private static Map<String, BigDecimal> numbers(Map<Quota, Long> amounts) {
    var numbers = new LinkedHashMap<String, BigDecimal>();
    for (Quota quota : Quota.values()) {
      Long amount = amounts.get(quota);
      if (amount != null) {
        numbers.put(quota.publicName(), new BigDecimal(quota.text(amount)));
      }
    }
    return numbers;
  }

  private void delete(Exchange exchange) {
    projects.delete(exchange.path("project"));
    exchange.sendNothing(204);
  }

  record CreateBody(
      @Nullable String name,
      @Nullable Map<String, @Nullable BigDecimal> quotas,
      @Nullable String tier) {}

  record ChangeBody(@Nullable Map<String, @Nullable BigDecimal> quotas, @Nullable String tier) {}

  record ListBody(List<ProjectBody> items) {}

  record ProjectBody(
      String name,
      Instant createdAt,
      String tier,
      Map<String, BigDecimal> quotas,
      Map<String, BigDecimal> used) {}
}
