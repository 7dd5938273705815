package dev.cove.model.boundary;

import dev.cove.model.Tier;
import java.util.Optional;

/**
 * What a caller says about the boundary of a new sandbox.
 *
 * @param tier empty for whichever is usual here and keeps what is required
 */
public record TierWish(Optional<Tier> tier, Guarantees requires) {
  /** For who has nothing to say. */
  public static final TierWish ANY = new TierWish(Optional.empty(), Guarantees.NONE);

  public static TierWish of(Tier tier) {
    return new TierWish(Optional.of(tier), Guarantees.NONE);
  }

  /** The same, with a tier where none is named. */
  public TierWish orElse(Tier usual) {
    return tier.isPresent() ? this : new TierWish(Optional.of(usual), requires);
  }
}
