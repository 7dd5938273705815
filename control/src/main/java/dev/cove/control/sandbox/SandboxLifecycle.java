package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.project.Quota;
import dev.cove.control.project.Scope;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.service.Services;
import dev.cove.control.template.Catalogue;
import dev.cove.control.usage.Meters;
import dev.cove.control.volume.Volumes;
import dev.cove.engine.EngineReport;
import dev.cove.guest.Guest;
import dev.cove.guest.TcpStream;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.PauseReason;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.life.LifeRules;
import dev.cove.model.meter.BootClock;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.observe.Step;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.node.Node;
import dev.cove.node.SandboxMetrics;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of sandboxes as callers see it. Safe for use by many threads.
 *
 * <p>{@link Making} and {@link Removal} are its ends, {@link Rest} is what lies between; {@link
 * SandboxStates} is how they write down what they do.
 */
public final class SandboxLifecycle implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SandboxLifecycle.class);

  private static final int BITS_OF_A_MB = 20;

  private final List<Consumer<Sandbox>> whenRead = new CopyOnWriteArrayList<>();
  private final SandboxLedger rows;
  private final Meters meters;
  private final Node node;
  private final Clock clock;
  private final BoundSecrets secrets;
  private final Services services;
  private final SandboxIndex index = new SandboxIndex();
  private final Unfinished unfinished = new Unfinished();
  private final SandboxStates states;
  private final Removal removal;
  private final Making making;
  private final Rest rest;
  private final Duration keptAfterDeletion;
  private final QuotaGuard quotas;
  private final PlaceQueue queue = new PlaceQueue();

  private SandboxLifecycle(SandboxLedger rows, Meters meters, Making.World world) {
    this.rows = rows;
    this.meters = meters;
    this.node = world.node();
    this.clock = world.clock();
    this.secrets = new BoundSecrets(node.secrets());
    this.services = world.services();
    this.states = new SandboxStates(rows, index, node, world.volumes(), unfinished, world.clock());
    this.removal = new Removal(rows, index, states, unfinished, world);
    this.keptAfterDeletion = world.keptAfterDeletion();
    this.quotas = new QuotaGuard(index, world.volumes(), world.clock());
    this.making = new Making(rows, index, states, removal, unfinished, quotas, queue, world);
    this.rest = new Rest(rows, index, states, unfinished, quotas, world);
    world.volumes().limit(quotas::holdDisk);
    removal.whenGone(_ -> queue.look());
  }

  /** Brings ledger and node together, then takes requests. */
  public static SandboxLifecycle recover(
      Ledger ledger,
      Node node,
      Catalogue templates,
      Volumes volumes,
      LifeRules usual,
      Services services,
      Duration keptAfterDeletion,
      Clock clock) {
    var world =
        new Making.World(node, templates, volumes, usual, services, keptAfterDeletion, clock);
    return recover(ledger, world, Recovery.bootId());
  }

  static SandboxLifecycle recover(Ledger ledger, Making.World world, String bootId) {
    Node node = world.node();
    var meters = new Meters(ledger, world.clock(), BootClock.ofHost());
    var rows = new SandboxLedger(ledger, meters, node::reading, world.usual());
    node.onEnded(meters::ended);
    var lifecycle = new SandboxLifecycle(rows, meters, world);
    lifecycle.countEgressBefore();
    node.onLost(lifecycle.states::lost);
    node.onWanted(lifecycle.rest::wanted);
    new Recovery(rows, lifecycle.index, node, world.volumes(), world.clock()).run(bootId);
    lifecycle.whenGone(world.services()::gone);
    lifecycle.findServices();
    return lifecycle;
  }

  /** To be done before anything passes that could be in the ledger already. */
  private void countEgressBefore() {
    LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    meters
        .egressOn(today)
        .forEach((project, bytes) -> node.networks().passedBefore(project, today, bytes));
  }

  private void findServices() {
    Map<SandboxId, SandboxState> states = index.states();
    services.recover(
        new ServedSandboxes(index),
        states.keySet(),
        withState(states, SandboxState.Running.class),
        withState(states, SandboxState.Paused.class));
  }

  private static Set<SandboxId> withState(
      Map<SandboxId, SandboxState> states, Class<? extends SandboxState> wanted) {
    return states.entrySet().stream()
        .filter(entry -> wanted.isInstance(entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Which tier sandboxes of a project get when nobody names one. */
  public void usualTier(Function<ProjectName, Tier> ofProjects) {
    making.tiers().usual(ofProjects);
  }

  /** What each tier is here, the cheapest first, also those that cannot be used. */
  public Map<Tier, EngineReport> tiers() {
    return node.engines();
  }

  /** Which tier sandboxes get here when nobody names one. */
  public Tier usualTier() {
    return making.tiers().usual();
  }

  public Created create(CreateSandbox request) {
    return Step.CREATE.run(() -> making.create(request));
  }

  /** Makes a sandbox, or finds the one that was made when the same was asked for before. */
  Created once(Optional<IdempotentRequest> repeatable, Supplier<Sandbox> make) {
    return making.once(repeatable, make);
  }

  /** A sandbox that begins with the state of another; to be called from {@link #once}. */
  Sandbox create(CreateSandbox request, Origin origin, Optional<IdempotentRequest> repeatable) {
    return making.make(request, origin, repeatable);
  }

  /** Does something with a sandbox's files that nobody else changes meanwhile. */
  <T> T exclusively(String idOrName, Function<Sandbox, T> work) {
    Entry entry = index.require(idOrName);
    return placed(entry, () -> rest.withFiles(entry, work));
  }

  /** Does something that leaves a sandbox running, also when it was not. */
  <T> T running(String idOrName, Function<Sandbox, T> work) {
    Entry entry = index.require(idOrName);
    return placed(entry, () -> rest.running(entry, work));
  }

  /** Changes something that is said about a sandbox, in whatever state it is. */
  <T> T saying(String idOrName, Function<Sandbox, T> work) {
    return states.locked(index.require(idOrName), entry -> work.apply(entry.sandbox()));
  }

  /** The same for what concerns its programs, for which one that is paused goes on. */
  <T> T tending(String idOrName, Function<Sandbox, T> work) {
    return rest.tending(index.require(idOrName), work);
  }

  /** Makes every process of a running sandbox stand still; memory is kept. */
  public Sandbox pause(String idOrName) {
    return rest.pause(index.require(idOrName), PauseReason.ASKED);
  }

  public Sandbox resume(String idOrName) {
    return rest.resume(index.require(idOrName));
  }

  /**
   * Ends the processes of a sandbox in order; its files are kept.
   *
   * @param grace how long they may take after they were asked to end
   */
  public Sandbox stop(String idOrName, StopReason reason, Duration grace) {
    return rest.stop(index.require(idOrName), reason, grace);
  }

  /** Makes a sandbox run that is stopped or paused. */
  public Sandbox start(String idOrName) {
    Entry entry = index.require(idOrName);
    return placed(entry, () -> rest.start(entry));
  }

  /**
   * Ends a sandbox and builds it over other layers; inside {@link #running}.
   *
   * @param undo what it is now, and becomes again when the server ends in the midst of this
   */
  void rebuild(Sandbox sandbox, List<LayerId> layers, Checkpoint undo) {
    SandboxId id = sandbox.id();
    boolean restored = false;
    try {
      rest.endRest(id);
      services.ending(id);
      rows.beginRebuild(id, undo.id());
      FailPoint.RESTORE_ANNOUNCED.reached();
      node.rebuild(id, sandbox.spec(), layers, undo.layers());
      FailPoint.RESTORE_REBUILT.reached();
      restored = true;
    } finally {
      endRebuild(id, restored); // also of one whose beginning the ledger may still come to
    }
    services.start(id, false);
  }

  private void endRebuild(SandboxId id, boolean restored) {
    try {
      rows.endRebuild(id, restored);
    } catch (CoveException e) {
      log.warn("sandbox {} was rebuilt, but the ledger does not know yet", id, e);
      unfinished.add(id, () -> rows.endRebuild(id, restored));
    }
  }

  public SandboxPage list(Map<String, String> labels, int limit, Optional<String> cursor) {
    requirePageSize(limit);
    return index.page(labels, limit, cursor.map(Cursor::parse));
  }

  /** The same of those that are deleted and kept. */
  public SandboxPage listDeleted(Map<String, String> labels, int limit, Optional<String> cursor) {
    requirePageSize(limit);
    return index.discardedPage(labels, limit, cursor.map(Cursor::parse));
  }

  private static void requirePageSize(int limit) {
    if (limit < 1 || limit > SandboxIndex.MAX_PAGE) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "limit must be between 1 and " + SandboxIndex.MAX_PAGE + ".");
    }
  }

  public Sandbox require(String idOrName) {
    return index.require(idOrName).sandbox();
  }

  /** One that is there, in whatever state. */
  public Optional<Sandbox> find(SandboxId id) {
    return index.find(id).filter(entry -> !entry.isDeleted()).map(Entry::sandbox);
  }

  /** How much projects may have from now on. */
  public void limit(Function<ProjectName, Map<Quota, Long>> limits) {
    quotas.by(limits);
  }

  /**
   * How those wait who find this machine full.
   *
   * @param longest zero for not at all
   * @param line how many of one project may wait
   */
  public void queue(Duration longest, int line) {
    queue.limit(new PlaceQueue.Limits(longest, line));
  }

  /** What a project uses of what it may have quotas for. */
  public Map<Quota, Long> used(ProjectName project) {
    Map<Quota, Long> used = quotas.used(project);
    used.put(Quota.EGRESS_MB_PER_DAY, node.networks().bytesToday(project) >> BITS_OF_A_MB);
    return used;
  }

  /** Makes something, as soon as there is a place for it. */
  Sandbox queued(Supplier<Sandbox> make) {
    return queue.enter(Scope.here(), make);
  }

  /** Does something for which a stopped sandbox needs a place, as soon as there is one. */
  private <T> T placed(Entry entry, Supplier<T> work) {
    if (!isStopped(entry)) {
      try {
        return work.get();
      } catch (NoPlaceException e) {
        log.debug("sandbox {} was being started, for which there is no place", entry.id(), e);
      }
    }
    return queue.enter(entry.sandbox().spec().project(), () -> isStopped(entry), work);
  }

  private static boolean isStopped(Entry entry) {
    return entry.sandbox().state() instanceof SandboxState.Stopped;
  }

  private static boolean isStoppedOnPurpose(Entry entry) {
    return entry.sandbox().state() instanceof SandboxState.Stopped stopped
        && !stopped.reason().wakes();
  }

  /** Whose a sandbox is. */
  public Optional<ProjectName> owner(SandboxId id) {
    return find(id).map(sandbox -> sandbox.spec().project());
  }

  /** Sets the labels that have a value and drops those that have none; others stay. */
  public Sandbox relabel(String idOrName, Map<String, Optional<String>> changes) {
    return states.locked(
        index.require(idOrName),
        entry -> {
          Sandbox sandbox = entry.sandbox();
          var labels = new HashMap<>(sandbox.spec().labels());
          changes.forEach((key, value) ->
              value.ifPresentOrElse(text -> labels.put(key, text), () -> labels.remove(key)));
          SandboxSpec spec = valid(() -> sandbox.spec().withLabels(labels));
          rows.updateLabels(sandbox.id(), spec.labels());
          index.respecify(entry, spec);
          return entry.sandbox();
        });
  }

  /** Changes what a sandbox may reach, at once where it runs. */
  public Sandbox changeNetwork(String idOrName, UnaryOperator<NetworkSettings> change) {
    return states.locked(
        index.require(idOrName),
        entry -> {
          Sandbox sandbox = entry.sandbox();
          SandboxSpec spec =
              valid(() -> sandbox.spec().withNetwork(change.apply(sandbox.spec().network())));
          NetworkLimits before = sandbox.spec().network().limits();
          if (!spec.network().limits().equals(before)) {
            requireWithinLimits(spec.network(), node);
          }
          secrets.requireKept(sandbox.spec().network(), spec.network());
          node.networks().prepare(sandbox.id(), spec.network());
          rows.updateNetwork(sandbox.id(), spec.network());
          FailPoint.NETWORK_RECORDED.reached();
          index.respecify(entry, spec);
          node.networks().change(sandbox.id(), spec.network());
          return entry.sandbox();
        });
  }

  /**
   * Changes what happens to a sandbox by itself.
   *
   * @param anew whether its life begins now, as far as its end is concerned
   */
  public Sandbox changeLife(String idOrName, UnaryOperator<LifeRules> change, boolean anew) {
    return rest.changeLife(index.require(idOrName), change, anew);
  }

  /** Does from now on what the rules say of lives. */
  public LifeWatch watchLives(double idleCpu) {
    return new LifeWatch(this, rows, index, rest, removal, node, clock, idleCpu);
  }

  /** Starts from now on what services say about when they are due. */
  public ScheduleWatch watchSchedules() {
    return new ScheduleWatch(this, services);
  }

  /** The sandboxes of a group, the oldest first. */
  public List<Sandbox> inGroup(String group) {
    return index.inGroup(group);
  }

  /** Deletes a sandbox; it is kept for as long as the server says. */
  public Optional<Sandbox> delete(String idOrName) {
    return delete(idOrName, keptAfterDeletion);
  }

  /**
   * Deletes a sandbox.
   *
   * @param kept for how long it can be undeleted; zero for one that is to go at once
   * @return what is kept, if something is
   */
  public Optional<Sandbox> delete(String idOrName, Duration kept) {
    Entry entry = index.requireEvenDeleted(idOrName);
    if (entry.isDiscarded()) {
      throw SandboxIndex.noSuchSandbox(); // whoever says it twice does not mean for good
    }
    Step.DELETE.run(() -> removal.delete(entry, kept));
    return Optional.of(entry).filter(Entry::isDiscarded).map(Entry::sandbox);
  }

  /** For a life that is over, whosesoever it is. */
  void deleteByItself(Entry entry) {
    removal.delete(entry, keptAfterDeletion);
  }

  /** Removes a sandbox for good, whether it is there or deleted and kept. */
  public void purge(String idOrName) {
    Entry entry = index.findDiscarded(idOrName).orElseGet(() -> index.requireEvenDeleted(idOrName));
    Step.DELETE.run(() -> removal.delete(entry));
  }

  /**
   * Takes back a deletion, by id or by the name that it had.
   *
   * @return stopped, under its name or, if somebody else has that now, under its id
   */
  public Sandbox undelete(String idOrName) {
    return removal.undelete(index.findDiscarded(idOrName).orElseThrow(Removal::noneToUndelete));
  }

  /** What every command in a sandbox is started with, unless it says otherwise itself. */
  public Map<String, String> environment(Sandbox sandbox) {
    return node.secrets().environment(sandbox.id(), sandbox.spec());
  }

  /** Refuses what uses secrets that nobody has set. */
  void requireKept(Optional<NetworkSettings> network) {
    network.ifPresent(secrets::requireKeptHere);
  }

  /**
   * The agent of a sandbox, which is woken if it rests.
   *
   * @throws CoveException CONFLICT when it does not run and is not to be woken
   */
  public Guest guest(String idOrName) {
    return awake(idOrName, node::guest);
  }

  /**
   * A connection to a port on the loopback of a sandbox, which is woken if it rests.
   *
   * @throws CoveException GUEST_REFUSED when nothing listens there, CONFLICT as {@link #guest}
   */
  public TcpStream connect(String idOrName, int port) {
    return awake(idOrName, id -> node.connect(id, port));
  }

  private <T> T awake(String idOrName, Function<SandboxId, T> use) {
    try {
      return use.apply(awake(idOrName).id());
    } catch (CoveException e) {
      if (index.require(idOrName).sandbox().state() instanceof SandboxState.Running) {
        throw e;
      }
      return use.apply(awake(idOrName).id()); // it went to rest in between
    }
  }

  /** A sandbox that runs; one that rests is woken. */
  public Sandbox awake(String idOrName) {
    Entry entry = index.require(idOrName);
    Sandbox sandbox = entry.sandbox();
    if (sandbox.state() instanceof SandboxState.Running) {
      return sandbox;
    }
    if (!entry.acknowledged()) {
      throw SandboxStates.notRunning(sandbox); // nobody has been promised that it will run
    }
    return isStoppedOnPurpose(entry) ? rest.wake(entry) : placed(entry, () -> rest.wake(entry));
  }

  /** Does not wake: whoever looks at all sandboxes again and again would keep them all awake. */
  public SandboxMetrics metrics(String idOrName) {
    return node.metrics(SandboxStates.requireStanding(index.require(idOrName).sandbox()));
  }

  /** Reads from now on what sandboxes use, and lets none run for which nothing is left. */
  public Metering meter(Ledger ledger, Clock clock, Metering.Settings settings) {
    states.allowWithin(settings.budgets());
    return new Metering(ledger, meters, index, node, rest, whenRead, clock, settings).begin();
  }

  /** All that any sandbox has bound, whatever its state. */
  public Set<SecretName> boundSecrets() {
    return index.all().stream()
        .flatMap(sandbox -> sandbox.spec().network().secrets().stream())
        .map(SecretBinding::secret)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Tells of each sandbox whose use was just read. Must not wait, and must not throw. */
  public void whenRead(Consumer<Sandbox> listener) {
    whenRead.add(listener);
  }

  /** Tells with which rules a sandbox was written down, before it runs. Must not wait. */
  void onRules(BiConsumer<SandboxId, CheckpointRules> listener) {
    making.onRules(listener);
  }

  /** Tells when something that a sandbox stood on may have become useless. Must not wait. */
  void afterRemoval(Runnable listener) {
    removal.whenGone(_ -> listener.run());
  }

  /** Tells whoever keeps something for a sandbox that it has gone. */
  public void whenGone(Consumer<SandboxId> listener) {
    removal.whenGone(listener);
  }

  /** How many wait for a place on this machine. */
  public int waitingForPlaces() {
    return queue.size();
  }

  /** How many changes wait for the ledger. */
  public int changesWaiting() {
    return rows.queued();
  }

  /** Leaves the sandboxes as they are. */
  @Override
  public void close() {
    services.close();
    states.close();
    unfinished.close();
  }

  /** What a template says beyond this server's limits is cut down to them instead. */
  static void requireWithinLimits(NetworkSettings wanted, Node node) {
    try {
      wanted.limits().requireWithin(node.networks().most());
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }

  static <T> T valid(Supplier<T> wish) {
    try {
      return wish.get();
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }
}
