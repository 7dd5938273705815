package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.ledger.LedgerSilentException;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Scope;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.service.Services;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.usage.Budget;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.VolumeMount;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Makes sandboxes: reserve a place, record it, start it, record that it runs. A crash between any
 * two steps leaves a record from which {@link Recovery} can tell what to do.
 */
final class Making {
  /** Stands in until the place, and with it the id that becomes the name, is known. */
  private static final String UNNAMED = "unnamed";

  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final SandboxStates states;
  private final Removal removal;
  private final Unfinished unfinished;
  private final World world;
  private final QuotaGuard quotas;
  private final PlaceQueue queue;
  private final RepeatedCreates repeated = new RepeatedCreates();
  private final TierChoice tiers;
  private volatile BiConsumer<SandboxId, CheckpointRules> rulesListener = (_, _) -> {};

  /**
   * What sandboxes are made of.
   *
   * @param usual what happens to them by themselves where nobody says otherwise
   * @param keptAfterDeletion how long they can be undeleted; zero for not at all
   */
  record World(
      Node node,
      Catalogue templates,
      Volumes volumes,
      LifeRules usual,
      Services services,
      Duration keptAfterDeletion,
      Clock clock) {}

  Making(
      SandboxLedger rows,
      SandboxIndex index,
      SandboxStates states,
      Removal removal,
      Unfinished unfinished,
      QuotaGuard quotas,
      PlaceQueue queue,
      World world) {
    this.rows = rows;
    this.index = index;
    this.states = states;
    this.removal = removal;
    this.unfinished = unfinished;
    this.quotas = quotas;
    this.queue = queue;
    this.world = world;
    this.tiers = new TierChoice(world.node()::engines);
  }

  TierChoice tiers() {
    return tiers;
  }

  void onRules(BiConsumer<SandboxId, CheckpointRules> listener) {
    rulesListener = listener;
  }

  Created create(CreateSandbox request) {
    Optional<IdempotentRequest> repeatable = IdempotentRequest.of(request);
    return once(repeatable, () -> fromTemplate(request, repeatable));
  }

  /** Makes a sandbox, or finds the one that was made when the same was asked for before. */
  Created once(Optional<IdempotentRequest> repeatable, Supplier<Sandbox> make) {
    if (repeatable.isEmpty()) {
      return new Created(make.get(), false);
    }
    return repeated.once(repeatable.get(), () -> answerOrMake(repeatable.get(), make));
  }

  private Created answerOrMake(IdempotentRequest repeatable, Supplier<Sandbox> make) {
    var answered = rows.findAnswered(repeatable, world.clock().instant());
    if (answered.isEmpty()) {
      return new Created(make.get(), false);
    }
    repeatable.requireSameAs(answered.get().requestHash());
    return index
        .find(answered.get().sandbox())
        .filter(entry -> !entry.isDeleted())
        .map(entry -> new Created(entry.sandbox(), true))
        .orElseThrow(() ->
            new CoveException(
                ErrorCode.CONFLICT,
                "The sandbox that was made with this idempotency key has been deleted; use a"
                    + " new key for a new sandbox."));
  }

  private Sandbox fromTemplate(CreateSandbox request, Optional<IdempotentRequest> repeatable) {
    TemplateVersion version = world.templates().require(request.template());
    request.network().ifPresent(new BoundSecrets(world.node().secrets())::requireKeptHere);
    return queue.enter(
        Scope.here(),
        () ->
            world
                .templates()
                .using(
                    version.reference(),
                    same -> make(request, Origin.of(same, request.template()), repeatable)));
  }

  /** A sandbox whose services do not come up is of no use to anybody. */
  private void startServices(Sandbox made) {
    try {
      world.services().start(made.id(), true);
      FailPoint.CREATE_SERVED.reached();
    } catch (CoveException e) {
      removal.delete(index.requireEvenDeleted(made.id().value()));
      throw e;
    }
  }

  Sandbox make(CreateSandbox request, Origin own, Optional<IdempotentRequest> repeatable) {
    Origin origin = SandboxLifecycle.valid(() -> own.with(request.services()));
    Sandbox made = build(request, origin, repeatable);
    if (!origin.services().isEmpty()) {
      startServices(made);
    }
    return made;
  }

  private Sandbox build(
      CreateSandbox request, Origin origin, Optional<IdempotentRequest> repeatable) {
    List<VolumeMount> mounts = world.volumes().resolve(request.volumes());
    SandboxSpec wish =
        SandboxLifecycle.valid(() -> spec(request, origin, request.name().orElse(UNNAMED), mounts));
    request
        .network()
        .ifPresent(wanted -> SandboxLifecycle.requireWithinLimits(wanted, world.node()));
    requireRoom();
    request.name().ifPresent(this::requireFree);
    states.requireBudget(wish, request.budget());
    try (QuotaGuard.Hold share = quotas.hold(wish)) {
      return build(request, wish, origin, repeatable, share);
    }
  }

  private Sandbox build(
      CreateSandbox request,
      SandboxSpec wish,
      Origin origin,
      Optional<IdempotentRequest> repeatable,
      QuotaGuard.Hold share) {
    Node.Reservation place =
        Step.RESERVE.run(
            () -> NoPlaceException.taking(() -> world.node().reserve(wish, origin.layers())));
    SandboxSpec spec = request.name().isPresent() ? wish : wish.withName(place.id().value());
    Optional<CheckpointRules> rules =
        request.rules().filter(wanted -> !wanted.equals(CheckpointRules.DEFAULT));
    if (!spec.workspaces().isEmpty()) {
      origin.parent().ifPresent(one -> world.node().workspaces().inherit(one, place.id()));
    }
    Entry entry =
        Step.RECORD.run(
            () -> record(place, spec, origin, rules, request.budget(), repeatable, share));
    boolean runs = false;
    try {
      FailPoint.CREATE_RECORDED.reached();
      world.node().start(place.id(), spec, origin.layers());
      FailPoint.CREATE_STARTED.reached();
      if (place.warm()) {
        states.show(entry, recordedWarm(entry.sandbox()));
      } else {
        states.enter(entry, new SandboxState.Running(Micros.now(world.clock())));
      }
      FailPoint.CREATE_ENTERED.reached();
      entry.acknowledge();
      runs = true;
      return entry.sandbox();
    } finally {
      if (!runs) {
        removal.abandon(entry);
      }
      entry.lock.unlock();
    }
  }

  /** Writes down what is about to be built. The entry comes back locked. */
  private Entry record(
      Node.Reservation place,
      SandboxSpec spec,
      Origin origin,
      Optional<CheckpointRules> rules,
      Optional<Budget> budget,
      Optional<IdempotentRequest> by,
      QuotaGuard.Hold share) {
    Instant now = Micros.now(world.clock());
    var sandbox =
        new Sandbox(
            place.id(),
            spec,
            new SandboxState.Starting(),
            now,
            origin.parent(),
            Sandbox.endOfLife(spec, world.usual(), now),
            world.usual());
    Sandbox row = place.warm() ? sandbox.in(recordedWarm(sandbox)) : sandbox;
    boolean recorded = false;
    try {
      world.volumes().claim(place.id(), spec.volumes());
      rows.insert(row, origin.services(), rules, budget, by);
      recorded = true;
    } catch (LedgerSilentException e) {
      unfinished.add(place.id(), () -> rows.forget(place.id()));
      throw e;
    } finally {
      if (!recorded) {
        removal.giveBack(place.id());
      }
    }
    rules.ifPresent(wanted -> rulesListener.accept(place.id(), wanted));
    return share.become(() -> index.addLocked(sandbox));
  }

  /** A warm cage stands already, so the ledger says at once that it runs: one write is saved. */
  private static SandboxState recordedWarm(Sandbox sandbox) {
    return new SandboxState.Running(sandbox.createdAt());
  }

  private void requireRoom() {
    if (index.size() >= SandboxIndex.MAX_SANDBOXES) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "The ledger is full; delete sandboxes that have failed.");
    }
  }

  private void requireFree(String name) {
    if (index.hasName(name)) {
      throw new CoveException(ErrorCode.CONFLICT, "The name is taken; choose another.");
    }
  }

  private SandboxSpec spec(
      CreateSandbox request, Origin origin, String name, List<VolumeMount> volumes) {
    NetworkSettings network =
        request
            .network()
            .or(() -> origin.template().network())
            .orElse(NetworkSettings.NOTHING)
            .in(request.group());
    BoundSecrets.requireSaidOnce(request.env(), network);
    var env = new HashMap<>(origin.env());
    env.putAll(request.env());
    return new SandboxSpec(
        name,
        origin.template(),
        tiers.choose(request.tier()),
        request.resources().over(origin.limits()).over(Resources.DEFAULT),
        env,
        request.labels(),
        volumes,
        request.workspaces(),
        network,
        request.life(),
        Scope.here());
  }
}
