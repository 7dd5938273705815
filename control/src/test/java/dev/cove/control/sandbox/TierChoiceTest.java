package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Boundary;
import dev.cove.model.boundary.ForkCost;
import dev.cove.model.boundary.Guarantees;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import dev.cove.model.boundary.TierWish;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TierChoiceTest {
  private static final Guarantees OWN_KERNEL =
      new Guarantees(Optional.of(KernelOf.OWN), false, Optional.empty(), false);
  private static final Guarantees HARDWARE =
      new Guarantees(Optional.empty(), true, Optional.empty(), false);
  private static final Guarantees ON_DISK =
      new Guarantees(Optional.empty(), false, Optional.of(PausedMemory.DISK), true);

  private static final EngineReport CONTAINERS =
      report(true, KernelOf.SHARED, PausedMemory.RAM, false);
  private static final EngineReport GVISOR = report(true, KernelOf.OWN, PausedMemory.RAM, false);
  private static final EngineReport EMULATED = report(true, KernelOf.OWN, PausedMemory.DISK, true);
  private static final EngineReport NOT_INSTALLED =
      report(false, KernelOf.OWN, PausedMemory.RAM, false);

  private final TierChoice all =
      choice(Map.of(Tier.CONTAINER, CONTAINERS, Tier.GVISOR, GVISOR, Tier.MICROVM, EMULATED));

  private static TierChoice choice(Map<Tier, EngineReport> engines) {
    return new TierChoice(() -> engines);
  }

  private static EngineReport report(
      boolean usable, KernelOf kernel, PausedMemory paused, boolean memory) {
    var boundary =
        new Boundary(
            "a test",
            kernel,
            false,
            paused,
            memory,
            ForkCost.SHARED_FILES,
            false,
            List.of(),
            List.of());
    var findings =
        usable
            ? List.<Finding>of()
            : List.of(new Finding(Severity.MISSING, "runsc", "It is not installed"));
    return new EngineReport(usable, true, findings, boundary);
  }

  private static TierWish requiring(Guarantees guarantees) {
    return new TierWish(Optional.empty(), guarantees);
  }

  @Test
  void who_says_nothing_gets_the_usual_tier() {
    assertThat(all.choose(TierWish.ANY)).isEqualTo(Tier.CONTAINER);
    all.usual(_ -> Tier.GVISOR);
    assertThat(all.choose(TierWish.ANY)).isEqualTo(Tier.GVISOR);
  }

  @Test
  void a_tier_that_is_named_is_given_or_refused() {
    assertThat(all.choose(TierWish.of(Tier.MICROVM))).isEqualTo(Tier.MICROVM);
    assertRefused(
        choice(Map.of(Tier.CONTAINER, CONTAINERS)),
        TierWish.of(Tier.MICROVM),
        "the tier microvm is not offered");
    assertRefused(
        choice(Map.of(Tier.CONTAINER, CONTAINERS, Tier.GVISOR, NOT_INSTALLED)),
        TierWish.of(Tier.GVISOR),
        "the tier gvisor cannot be used (runsc: It is not installed)");
  }

  @Test
  void a_named_tier_is_not_replaced_by_one_that_keeps_what_is_required() {
    assertRefused(
        all,
        new TierWish(Optional.of(Tier.CONTAINER), OWN_KERNEL),
        "the tier container does not keep kernel=own");
  }

  @Test
  void without_a_name_the_next_stronger_tier_that_keeps_what_is_required_is_taken() {
    assertThat(all.choose(requiring(OWN_KERNEL))).isEqualTo(Tier.GVISOR);
    assertThat(all.choose(requiring(ON_DISK))).isEqualTo(Tier.MICROVM);
    assertThat(
            choice(
                    Map.of(
                        Tier.CONTAINER,
                        CONTAINERS,
                        Tier.GVISOR,
                        NOT_INSTALLED,
                        Tier.MICROVM,
                        EMULATED))
                .choose(requiring(OWN_KERNEL)))
        .isEqualTo(Tier.MICROVM);
  }

  @Test
  void an_emulated_machine_is_not_hardware_and_each_tier_says_why_not() {
    assertRefused(all, requiring(HARDWARE), "the tier container does not keep hardware=true");
    assertRefused(all, requiring(HARDWARE), "the tier microvm does not keep hardware=true");
  }

  @Test
  void nothing_weaker_than_the_usual_tier_is_taken() {
    TierChoice strict = choice(Map.of(Tier.CONTAINER, CONTAINERS, Tier.GVISOR, NOT_INSTALLED));
    strict.usual(_ -> Tier.GVISOR);
    assertRefused(strict, TierWish.ANY, "the tier gvisor cannot be used");
    var shared = new Guarantees(Optional.of(KernelOf.SHARED), false, Optional.empty(), false);
    assertRefused(strict, requiring(shared), "the tier gvisor cannot be used");
  }

  private static void assertRefused(TierChoice choice, TierWish wish, String reason) {
    assertThatThrownBy(() -> choice.choose(wish))
        .isInstanceOfSatisfying(
            CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIER_UNAVAILABLE))
        .hasMessageContaining(reason);
  }
}
