package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.LedgerSilentException;
import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.volume.Volumes;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.VolumeMount;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import dev.cove.node.Node;
import dev.cove.node.SandboxMetrics;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of sandboxes as callers see it. Safe for use by many threads.
 *
 * <p>Create: reserve a place, record it, start it, record that it runs. Delete: record it (which
 * frees the name), take it apart, drop the record. A crash between any two steps leaves a record
 * from which {@link Recovery} can tell what to do.
 */
public final class SandboxLifecycle implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SandboxLifecycle.class);

  /** Longer than any start or removal takes that will still succeed. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Stands in until the place, and with it the id that becomes the name, is known. */
  private static final String UNNAMED = "unnamed";

  private final SandboxLedger rows;
  private final Node node;
  private final Catalogue templates;
  private final Volumes volumes;
  private final Clock clock;
  private final SandboxIndex index = new SandboxIndex();
  private final RepeatedCreates repeated = new RepeatedCreates();
  private final Unfinished unfinished = new Unfinished();
  private volatile Runnable afterRemoval = () -> {};
  private volatile BiConsumer<SandboxId, CheckpointRules> rulesListener = (_, _) -> {};
  private final List<Consumer<SandboxId>> whenGone = new CopyOnWriteArrayList<>();
  private final ExecutorService losses = Executors.newVirtualThreadPerTaskExecutor();

  private SandboxLifecycle(
      SandboxLedger rows, Node node, Catalogue templates, Volumes volumes, Clock clock) {
    this.rows = rows;
    this.node = node;
    this.templates = templates;
    this.volumes = volumes;
    this.clock = clock;
  }

  /** Brings ledger and node together, then takes requests. */
  public static SandboxLifecycle recover(
      Ledger ledger, Node node, Catalogue templates, Volumes volumes, Clock clock) {
    return recover(ledger, node, templates, volumes, clock, Recovery.bootId());
  }

  static SandboxLifecycle recover(
      Ledger ledger, Node node, Catalogue templates, Volumes volumes, Clock clock, String bootId) {
    var rows = new SandboxLedger(ledger);
    var lifecycle = new SandboxLifecycle(rows, node, templates, volumes, clock);
    node.onLost(lifecycle::lost);
    new Recovery(rows, lifecycle.index, node, volumes, clock).run(bootId);
    return lifecycle;
  }

  public Created create(CreateSandbox request) {
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

  /** A sandbox that begins with the state of another; to be called from {@link #once}. */
  Sandbox create(CreateSandbox request, Origin origin, Optional<IdempotentRequest> repeatable) {
    return make(request, origin, repeatable);
  }

  /** Does something with a running sandbox that nobody else changes meanwhile. */
  <T> T exclusively(String idOrName, Function<Sandbox, T> work) {
    Entry entry = index.require(idOrName);
    lock(entry);
    try {
      requireThere(entry);
      requireRunning(entry.sandbox());
      return work.apply(entry.sandbox());
    } finally {
      entry.lock.unlock();
    }
  }

  /**
   * Ends a running sandbox and builds it over other layers; inside {@link #exclusively}.
   *
   * @param undo what it is now, and becomes again when the server ends in the midst of this
   */
  void rebuild(Sandbox sandbox, List<LayerId> layers, Checkpoint undo) {
    SandboxId id = sandbox.id();
    try {
      rows.beginRebuild(id, undo.id());
      FailPoint.RESTORE_ANNOUNCED.reached();
      node.rebuild(id, sandbox.spec(), layers, undo.layers());
      FailPoint.RESTORE_REBUILT.reached();
    } finally {
      endRebuild(id); // also of one whose beginning the ledger may still come to
    }
  }

  private void endRebuild(SandboxId id) {
    try {
      rows.endRebuild(id);
    } catch (CoveException e) {
      log.warn("sandbox {} was rebuilt, but the ledger does not know yet", id, e);
      unfinished.add(id, () -> rows.endRebuild(id));
    }
  }

  public SandboxPage list(Map<String, String> labels, int limit, Optional<String> cursor) {
    if (limit < 1 || limit > SandboxIndex.MAX_PAGE) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "limit must be between 1 and " + SandboxIndex.MAX_PAGE + ".");
    }
    return index.page(labels, limit, cursor.map(Cursor::parse));
  }

  public Sandbox require(String idOrName) {
    return index.require(idOrName).sandbox();
  }

  Optional<Sandbox> find(SandboxId id) {
    return index.find(id).filter(entry -> !entry.isDeleted()).map(Entry::sandbox);
  }

  /** Sets the labels that have a value and drops those that have none; others stay. */
  public Sandbox relabel(String idOrName, Map<String, Optional<String>> changes) {
    Entry entry = index.require(idOrName);
    lock(entry);
    try {
      requireThere(entry);
      Sandbox sandbox = entry.sandbox();
      var labels = new HashMap<>(sandbox.spec().labels());
      changes.forEach((key, value) ->
          value.ifPresentOrElse(text -> labels.put(key, text), () -> labels.remove(key)));
      SandboxSpec spec = valid(() -> sandbox.spec().withLabels(labels));
      rows.updateLabels(sandbox.id(), spec.labels());
      index.respecify(entry, spec);
      return entry.sandbox();
    } finally {
      entry.lock.unlock();
    }
  }

  /** Changes what a sandbox may reach, at once where it runs. */
  public Sandbox changeNetwork(String idOrName, UnaryOperator<NetworkSettings> change) {
    Entry entry = index.require(idOrName);
    lock(entry);
    try {
      requireThere(entry);
      Sandbox sandbox = entry.sandbox();
      SandboxSpec spec =
          valid(() -> sandbox.spec().withNetwork(change.apply(sandbox.spec().network())));
      NetworkLimits before = sandbox.spec().network().limits();
      requireWithinLimits(Optional.of(spec.network()).filter(now -> !now.limits().equals(before)));
      rows.updateNetwork(sandbox.id(), spec.network());
      index.respecify(entry, spec);
      node.networks().change(sandbox.id(), spec.network());
      return entry.sandbox();
    } finally {
      entry.lock.unlock();
    }
  }

  /** The sandboxes of a group, the oldest first. */
  public List<Sandbox> inGroup(String group) {
    return index.inGroup(group);
  }

  public void delete(String idOrName) {
    Entry entry = index.requireEvenDeleted(idOrName);
    lock(entry);
    try {
      if (!index.holds(entry)) {
        throw SandboxIndex.noSuchSandbox();
      }
      if (!entry.isDeleted()) {
        enter(entry, new SandboxState.Deleted());
      }
      takeApart(entry);
    } finally {
      entry.lock.unlock();
    }
  }

  /**
   * The agent of a running sandbox.
   *
   * @throws CoveException CONFLICT when it does not run
   */
  public Guest guest(String idOrName) {
    return node.guest(requireRunning(idOrName));
  }

  public SandboxMetrics metrics(String idOrName) {
    return node.metrics(requireRunning(idOrName));
  }

  /** Tells with which rules a sandbox was written down, before it runs. Must not wait. */
  void onRules(BiConsumer<SandboxId, CheckpointRules> listener) {
    rulesListener = listener;
  }

  /** Tells when something that a sandbox stood on may have become useless. Must not wait. */
  void afterRemoval(Runnable listener) {
    afterRemoval = listener;
  }

  /** Tells whoever keeps something for a sandbox that it has gone. */
  public void whenGone(Consumer<SandboxId> listener) {
    whenGone.add(listener);
  }

  /** Leaves the sandboxes as they are. */
  @Override
  public void close() {
    losses.close();
    unfinished.close();
  }

  private Created answerOrMake(IdempotentRequest repeatable, Supplier<Sandbox> make) {
    var answered = rows.findAnswered(repeatable.key(), clock.instant());
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
    TemplateVersion version = templates.require(request.template());
    Sandbox made =
        templates.using(
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
      new ServiceStart(node.guest(made.id()), made.spec()).start(service);
    } catch (CoveException e) {
      delete(made.id().value());
      throw e;
    }
  }

  private Sandbox make(
      CreateSandbox request, Origin origin, Optional<IdempotentRequest> repeatable) {
    List<VolumeMount> mounts = volumes.resolve(request.volumes());
    SandboxSpec wish = valid(() -> spec(request, origin, request.name().orElse(UNNAMED), mounts));
    requireWithinLimits(request.network());
    requireRoom();
    request.name().ifPresent(this::requireFree);
    Node.Reservation place = node.reserve(wish, origin.layers());
    SandboxSpec spec = request.name().isPresent() ? wish : wish.withName(place.id().value());
    Optional<CheckpointRules> rules =
        request.rules().filter(wanted -> !wanted.equals(CheckpointRules.DEFAULT));
    Entry entry = record(place, spec, origin.parent(), rules, repeatable);
    boolean runs = false;
    try {
      FailPoint.CREATE_RECORDED.reached();
      node.start(place.id(), spec, origin.layers());
      FailPoint.CREATE_STARTED.reached();
      if (place.warm()) {
        show(entry, recordedWarm(entry.sandbox()));
      } else {
        enter(entry, new SandboxState.Running(Micros.now(clock)));
      }
      entry.acknowledge();
      runs = true;
      return entry.sandbox();
    } finally {
      if (!runs) {
        abandon(entry);
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
        new Sandbox(place.id(), spec, new SandboxState.Starting(), Micros.now(clock), parent);
    Sandbox row = place.warm() ? sandbox.in(recordedWarm(sandbox)) : sandbox;
    boolean recorded = false;
    try {
      volumes.claim(place.id(), spec.volumes());
      rows.insert(row, rules, by);
      recorded = true;
    } catch (LedgerSilentException e) {
      unfinished.add(place.id(), () -> rows.forget(place.id()));
      throw e;
    } finally {
      if (!recorded) {
        giveBack(place.id());
      }
    }
    rules.ifPresent(wanted -> rulesListener.accept(place.id(), wanted));
    return index.addLocked(sandbox);
  }

  /** Lets go of a place that no record points to. */
  private void giveBack(SandboxId id) {
    try {
      node.remove(id);
      volumes.release(id);
    } catch (CoveException e) {
      log.warn("the place of sandbox {} could not be given back", id, e);
      unfinished.add(
          id,
          () -> {
            node.remove(id);
            volumes.release(id);
            rows.forget(id);
          });
    }
  }

  /** Undoes a create that failed. The failure itself is what the caller hears of. */
  private void abandon(Entry entry) {
    index.move(entry, new SandboxState.Deleted());
    try {
      takeApart(entry);
    } catch (CoveException e) {
      log.warn("sandbox {} could not be taken apart after a failed start", entry.id(), e);
    }
  }

  /** Removes a deleted sandbox from the world, then from the ledger. The caller has the lock. */
  private void takeApart(Entry entry) {
    SandboxId id = entry.id();
    Runnable again =
        () -> {
          lock(entry);
          try {
            removeEverywhere(entry);
          } finally {
            entry.lock.unlock();
          }
        };
    unfinished.add(id, again);
    removeEverywhere(entry);
    unfinished.done(id, again);
    log.info("sandbox {} gone", id);
  }

  private void removeEverywhere(Entry entry) {
    if (!index.holds(entry)) {
      return;
    }
    SandboxId id = entry.id();
    node.remove(id);
    volumes.release(id);
    if (entry.acknowledged()) {
      rows.removeLater(id, () -> unfinished.add(id, () -> rows.remove(id)));
    } else {
      rows.forget(id);
    }
    index.remove(entry);
    whenGone.forEach(listener -> listener.accept(id));
    afterRemoval.run();
  }

  private void lost(SandboxId id, String reason) {
    try {
      losses.execute(() -> index.find(id).ifPresent(entry -> fail(entry, reason)));
    } catch (RejectedExecutionException _) {
      log.info("sandbox {} was lost during shut-down; the next start will find out", id);
    }
  }

  private void fail(Entry entry, String reason) {
    lock(entry);
    try {
      var failed = new SandboxState.Failed(reason);
      Sandbox sandbox = entry.sandbox();
      if (!sandbox.state().canBecome(failed)) {
        return;
      }
      index.move(entry, failed);
      volumes.release(sandbox.id()); // the node has taken it apart already
      log.info("sandbox {} {} -> failed: {}", sandbox.id(), sandbox.state().publicName(), reason);
      try {
        rows.updateState(entry.sandbox());
      } catch (CoveException e) {
        log.warn("sandbox {} has failed, but the ledger does not know yet", sandbox.id(), e);
        unfinished.add(sandbox.id(), () -> recordState(entry));
      }
    } finally {
      entry.lock.unlock();
    }
  }

  private void recordState(Entry entry) {
    lock(entry);
    try {
      rows.updateState(entry.sandbox());
    } finally {
      entry.lock.unlock();
    }
  }

  /** A warm cage stands already, so the ledger says at once that it runs: one write is saved. */
  private static SandboxState recordedWarm(Sandbox sandbox) {
    return new SandboxState.Running(sandbox.createdAt());
  }

  /** First the ledger, then what callers see. The caller has the lock. */
  private void enter(Entry entry, SandboxState next) {
    rows.updateState(entry.sandbox().in(next));
    show(entry, next);
  }

  private void show(Entry entry, SandboxState next) {
    Sandbox sandbox = entry.sandbox();
    index.move(entry, next);
    log.info("sandbox {} {} -> {}", sandbox.id(), sandbox.state().publicName(), next.publicName());
  }

  private SandboxId requireRunning(String idOrName) {
    return requireRunning(index.require(idOrName).sandbox());
  }

  private static SandboxId requireRunning(Sandbox sandbox) {
    return switch (sandbox.state()) {
      case SandboxState.Running _ -> sandbox.id();
      case SandboxState.Failed failed ->
          throw new CoveException(
              ErrorCode.CONFLICT,
              "Sandbox %s has failed: %s.".formatted(sandbox.id(), failed.reason()));
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Paused _,
          SandboxState.Stopped _,
          SandboxState.Deleted _ ->
          throw new CoveException(
              ErrorCode.CONFLICT,
              "Sandbox %s is %s, not running."
                  .formatted(sandbox.id(), sandbox.state().publicName()));
    };
  }

  /** What a template says beyond this server's limits is cut down to them instead. */
  private void requireWithinLimits(Optional<NetworkSettings> wanted) {
    try {
      wanted.ifPresent(settings -> settings.limits().requireWithin(node.networks().most()));
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
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

  private static void requireThere(Entry entry) {
    if (entry.isDeleted()) {
      throw SandboxIndex.noSuchSandbox();
    }
  }

  private static void lock(Entry entry) {
    try {
      if (entry.lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
    throw new CoveException(
        ErrorCode.CONFLICT, "Sandbox %s is busy; repeat the request.".formatted(entry.id()));
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
        request
            .network()
            .or(() -> origin.template().network())
            .orElse(NetworkSettings.NOTHING)
            .in(request.group()));
  }

  private static SandboxSpec valid(Supplier<SandboxSpec> spec) {
    try {
      return spec.get();
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }
}
