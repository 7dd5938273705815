package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.ledger.LedgerSilentException;
import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.VolumeMount;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.NetworkSettings;
import dev.cove.node.Node;
import java.time.Clock;
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
  private final RepeatedCreates repeated = new RepeatedCreates();
  private volatile BiConsumer<SandboxId, CheckpointRules> rulesListener = (_, _) -> {};

  /** What sandboxes are made of. */
  record World(Node node, Catalogue templates, Volumes volumes, Clock clock) {}

  Making(
      SandboxLedger rows,
      SandboxIndex index,
      SandboxStates states,
      Removal removal,
      Unfinished unfinished,
      World world) {
    this.rows = rows;
    this.index = index;
    this.states = states;
    this.removal = removal;
    this.unfinished = unfinished;
    this.world = world;
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
    var answered = rows.findAnswered(repeatable.key(), world.clock().instant());
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
    Sandbox made =
        world
            .templates()
            .using(
                version.reference(),
                same -> make(request, Origin.of(same, request.template()), repeatable));
    startService(made, version.content().service());
    return made;
  }

  /** A sandbox whose service does not come up is of no use to anybody. */
  private void startService(Sandbox made, TemplateVersion.Service service) {
    if (service.command().isEmpty()) {
      return;
    }
    try {
      new ServiceStart(world.node().guest(made.id()), made.spec()).start(service);
    } catch (CoveException e) {
      removal.delete(index.requireEvenDeleted(made.id().value()));
      throw e;
    }
  }

  Sandbox make(CreateSandbox request, Origin origin, Optional<IdempotentRequest> repeatable) {
    List<VolumeMount> mounts = world.volumes().resolve(request.volumes());
    SandboxSpec wish =
        SandboxLifecycle.valid(() -> spec(request, origin, request.name().orElse(UNNAMED), mounts));
    requireRoom();
    request.name().ifPresent(this::requireFree);
    Node.Reservation place = world.node().reserve(wish, origin.layers());
    SandboxSpec spec = request.name().isPresent() ? wish : wish.withName(place.id().value());
    Optional<CheckpointRules> rules =
        request.rules().filter(wanted -> !wanted.equals(CheckpointRules.DEFAULT));
    Entry entry = record(place, spec, origin.parent(), rules, repeatable);
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
      Optional<SandboxId> parent,
      Optional<CheckpointRules> rules,
      Optional<IdempotentRequest> by) {
    var sandbox =
        new Sandbox(
            place.id(), spec, new SandboxState.Starting(), Micros.now(world.clock()), parent);
    Sandbox row = place.warm() ? sandbox.in(recordedWarm(sandbox)) : sandbox;
    boolean recorded = false;
    try {
      world.volumes().claim(place.id(), spec.volumes());
      rows.insert(row, rules, by);
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
    return index.addLocked(sandbox);
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

  private static SandboxSpec spec(
      CreateSandbox request, Origin origin, String name, List<VolumeMount> volumes) {
    var env = new HashMap<>(origin.env());
    env.putAll(request.env());
    return new SandboxSpec(
        name,
        origin.template(),
        request.tier(),
        request.resources(),
        env,
        request.labels(),
        volumes,
        request.network().orElse(NetworkSettings.NOTHING));
  }
}
