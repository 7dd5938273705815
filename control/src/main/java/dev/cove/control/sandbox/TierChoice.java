package dev.cove.control.sandbox;

import dev.cove.control.project.Scope;
import dev.cove.engine.EngineReport;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Guarantees;
import dev.cove.model.boundary.TierWish;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Which tier a new sandbox gets: the one that was named, or the usual one. Where that does not keep
 * what is required it is the next stronger one that does, and never a weaker one.
 */
final class TierChoice {
  private final Supplier<Map<Tier, EngineReport>> engines;
  private volatile Function<ProjectName, Tier> usual = _ -> Tier.CONTAINER;

  TierChoice(Supplier<Map<Tier, EngineReport>> engines) {
    this.engines = engines;
  }

  void usual(Function<ProjectName, Tier> ofProjects) {
    usual = ofProjects;
  }

  /** For a request of the project that asks. */
  Tier usual() {
    return usual.apply(Scope.here());
  }

  /**
   * @throws CoveException TIER_UNAVAILABLE with the reason, where this host has nothing of the kind
   */
  Tier choose(TierWish wish) {
    Tier first = wish.tier().orElseGet(this::usual);
    List<Tier> candidates = wish.tier().isPresent() ? List.of(first) : from(first);
    Map<Tier, EngineReport> reports = engines.get();
    var reasons = new ArrayList<String>();
    for (Tier tier : candidates) {
      String obstacle = obstacle(tier, reports, wish.requires());
      if (obstacle.isEmpty()) {
        return tier;
      }
      reasons.add(obstacle);
      if (wish.requires().equals(Guarantees.NONE)) {
        break; // the usual one is wanted, and not whatever is there
      }
    }
    throw new CoveException(
        ErrorCode.TIER_UNAVAILABLE,
        "This host cannot give what was asked for: %s. GET /api/v1/tiers and cove doctor say what"
                .formatted(String.join("; ", reasons))
            + " it can.");
  }

  private static List<Tier> from(Tier weakest) {
    return Arrays.stream(Tier.values()).filter(tier -> tier.compareTo(weakest) >= 0).toList();
  }

  private static String obstacle(Tier tier, Map<Tier, EngineReport> reports, Guarantees requires) {
    EngineReport report = reports.get(tier);
    if (report == null) {
      return "the tier %s is not offered".formatted(tier.publicName());
    }
    if (!report.usable()) {
      return "the tier %s cannot be used (%s)".formatted(tier.publicName(), report.obstacles());
    }
    List<String> missing = requires.missingIn(report.boundary());
    return missing.isEmpty()
        ? ""
        : "the tier %s does not keep %s".formatted(tier.publicName(), String.join(", ", missing));
  }
}
