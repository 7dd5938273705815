package dev.cove.edge.tier;

import dev.cove.edge.http.Text;
import dev.cove.engine.EngineReport;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Guarantees;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import dev.cove.model.boundary.TierWish;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A tier as callers see it.
 *
 * @param usual whether sandboxes of the caller's project get it when nobody names one
 * @param obstacles why it is not usable, where it is not
 */
public record TierBody(
    String tier, boolean usable, boolean usual, Optional<String> obstacles, BoundaryBody boundary) {
  static TierBody of(Tier tier, EngineReport report, boolean usual) {
    return new TierBody(
        tier.publicName(),
        report.usable(),
        usual,
        Optional.of(report.obstacles()).filter(text -> !text.isEmpty()),
        BoundaryBody.of(report.boundary()));
  }

  /** What a caller insists on. */
  public record RequiresBody(
      @Nullable String kernel,
      @Nullable Boolean hardware,
      @Nullable String memoryOnPause,
      @Nullable Boolean memoryInCheckpoints) {
    private Guarantees toGuarantees() {
      return new Guarantees(
          Optional.ofNullable(kernel)
              .map(name ->
                  KernelOf.find(name)
                      .orElseThrow(() ->
                          new IllegalArgumentException("requires.kernel must be own or shared"))),
          Boolean.TRUE.equals(hardware),
          Optional.ofNullable(memoryOnPause)
              .map(name ->
                  PausedMemory.find(name)
                      .orElseThrow(() ->
                          new IllegalArgumentException(
                              "requires.memoryOnPause must be ram or disk"))),
          Boolean.TRUE.equals(memoryInCheckpoints));
    }
  }

  public static TierWish wish(@Nullable String tier, @Nullable RequiresBody requires) {
    return new TierWish(
        Optional.ofNullable(tier).map(TierBody::requireTier),
        requires == null ? Guarantees.NONE : requires.toGuarantees());
  }

  public static Tier requireTier(String name) {
    return Tier.find(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "There is no tier %s; there are container, gvisor and microvm"
                    .formatted(Text.quote(name))));
  }
}
