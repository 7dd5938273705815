package dev.cove.cli;

import dev.cove.sdk.Boundary;
import dev.cove.sdk.Cove;
import dev.cove.sdk.TierInfo;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Shows what can hold sandboxes on a server, and what it really is there. */
final class Tiers {
  private Tiers() {}

  static CommandSpec describe(Session session) {
    return Listing.describe(
        session, "Show what can hold sandboxes here.", Cove::tiers, TierInfo::toJson, Tiers::table);
  }

  private static Table table(List<TierInfo> tiers) {
    var table = new Table("TIER", "USABLE", "KERNEL", "HARDWARE", "PAUSED MEMORY", "FORK", "BY");
    for (TierInfo tier : tiers) {
      Boundary boundary = tier.boundary();
      table.row(
          tier.usual() ? tier.tier() + " (usual)" : tier.tier(),
          tier.usable() ? "yes" : "no: " + tier.obstacles().orElse(""),
          boundary.kernel(),
          boundary.hardware() ? "yes" : "no",
          boundary.memoryOnPause(),
          boundary.forkCost(),
          boundary.by());
    }
    return table;
  }
}
