package dev.cove.control.checkpoint;

import dev.cove.control.layer.LayerHolder;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Scope;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxTemplate;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import dev.cove.node.Node.Stillness;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Checkpoints as the ledger knows them. Safe for use by many threads.
 *
 * <p>The layer comes first, then the row that points to it: what is cut short leaves a layer that
 * nobody needs, which {@link Layers} collects.
 */
public final class Checkpoints implements LayerHolder {
  private static final int MAX_CHECKPOINTS = 100_000;
  private static final Comparator<Checkpoint> BY_AGE =
      Comparator.comparing(Checkpoint::createdAt).thenComparing(Checkpoint::id);

  private final CheckpointLedger rows;
  private final Node node;
  private final Layers layers;
  private final Clock clock;
  private final Map<CheckpointId, Checkpoint> all = new ConcurrentHashMap<>();
  private final RulesLedger ruleRows;
  private final Map<SandboxId, CheckpointRules> rules = new ConcurrentHashMap<>();

  /** What sandboxes were when they were last kept, as far as that is known. */
  private final Map<SandboxId, Stillness> keptStill = new ConcurrentHashMap<>();

  public Checkpoints(Ledger ledger, Node node, Layers layers, Clock clock) {
    this.rows = new CheckpointLedger(ledger);
    this.node = node;
    this.layers = layers;
    this.clock = clock;
    this.ruleRows = new RulesLedger(ledger);
    rows.all().forEach(checkpoint -> all.put(checkpoint.id(), checkpoint));
    rules.putAll(ruleRows.all());
    layers.register(this);
  }

  @Override
  public String kind() {
    return "checkpoint";
  }

  @Override
  public Map<String, Set<LayerId>> holds() {
    var holds = new HashMap<String, Set<LayerId>>();
    all.values()
        .forEach(checkpoint -> holds.put(checkpoint.id().value(), Set.copyOf(checkpoint.layers())));
    return holds;
  }

  /** Takes a checkpoint of a sandbox that runs and that nobody else changes meanwhile. */
  public Checkpoint take(
      SandboxId sandbox, SandboxSpec spec, String name, Checkpoint.Reason reason) {
    requireName(name);
    requireRoom();
    return Step.CHECKPOINT.run(() ->
        layers.using(() -> {
          Node.Sealed sealed = node.seal(sandbox);
          Checkpoint checkpoint = of(sandbox, spec, name, reason, sealed);
          rows.insert(checkpoint);
          FailPoint.CHECKPOINT_RECORDED.reached();
          all.put(checkpoint.id(), checkpoint);
          sealed
              .still()
              .ifPresentOrElse(s -> keptStill.put(sandbox, s), () -> forgetStill(sandbox));
          if (reason != Checkpoint.Reason.ASKED) {
            dropByRules(sandbox);
          }
          return checkpoint;
        }));
  }

  /** What a sandbox is now, with no row: it stays for as long as the pin. */
  public Checkpoint moment(SandboxId sandbox, SandboxSpec spec, Layers.Pin pin) {
    return moment(sandbox, spec, pin, node::seal);
  }

  /** The same, and the sandbox stands on what it stood on. */
  public Checkpoint copy(SandboxId sandbox, SandboxSpec spec, Layers.Pin pin) {
    return moment(sandbox, spec, pin, node::copy);
  }

  private Checkpoint moment(
      SandboxId sandbox,
      SandboxSpec spec,
      Layers.Pin pin,
      Function<SandboxId, Node.Sealed> sealing) {
    return layers.using(() -> {
      Node.Sealed sealed = sealing.apply(sandbox);
      pin.add(sealed.layers());
      return of(sandbox, spec, "", Checkpoint.Reason.ASKED, sealed);
    });
  }

  private Checkpoint of(
      SandboxId sandbox,
      SandboxSpec spec,
      String name,
      Checkpoint.Reason reason,
      Node.Sealed sealed) {
    return new Checkpoint(
        CheckpointId.random(),
        spec.project(),
        sandbox,
        name,
        reason,
        Micros.now(clock),
        spec.template(),
        spec.tier(),
        spec.resources(),
        spec.env(),
        sealed.layers(),
        sealed.bytes(),
        sealed.frozen(),
        sealed.copied());
  }

  /** Whether something may have changed in a running sandbox since it was last kept. */
  public boolean mayHaveChanged(SandboxId sandbox) {
    Stillness then = keptStill.get(sandbox);
    return then == null || !node.stillness(sandbox).equals(Optional.of(then));
  }

  /** For when a sandbox becomes something else than what it wrote. */
  public void forgetStill(SandboxId sandbox) {
    keptStill.remove(sandbox);
  }

  public CheckpointRules rules(SandboxId sandbox) {
    return rules.getOrDefault(sandbox, CheckpointRules.DEFAULT);
  }

  /** Of those that do not keep to the usual ones. */
  public Map<SandboxId, CheckpointRules> allRules() {
    return Map.copyOf(rules);
  }

  /** Sets the rules of a sandbox that is there, and drops at once what they no longer keep. */
  public void setRules(SandboxId sandbox, CheckpointRules wanted) {
    ruleRows.put(sandbox, wanted);
    rules.put(sandbox, wanted);
    dropByRules(sandbox);
  }

  /** Takes note of rules that were written down with their sandbox. */
  public void noteRules(SandboxId sandbox, CheckpointRules recorded) {
    rules.put(sandbox, recorded);
  }

  /** Drops what is known of a sandbox that is gone; its checkpoints stay. */
  public void forgetRules(SandboxId sandbox) {
    rules.remove(sandbox);
    forgetStill(sandbox);
  }

  /** Drops those that the owner did not ask for and that are too many or too old. */
  public void dropByRules(SandboxId sandbox) {
    CheckpointRules now = rules(sandbox);
    List<Checkpoint> found = of(sandbox);
    var dropped = new HashSet<Checkpoint>();
    dropped.addAll(allButNewest(found, one -> one.reason().automatic(), now.keepAutomatic()));
    dropped.addAll(
        allButNewest(
            found,
            one -> one.reason() == Checkpoint.Reason.BEFORE_RESTORE,
            CheckpointRules.KEEP_UNDO));
    dropped.addAll( // counted by themselves, so that those inside push out none of the owner's
        allButNewest(found, one -> one.reason() == Checkpoint.Reason.INSIDE, now.keepAutomatic()));
    if (now.maxAgeHours().isPresent()) {
      Instant oldest = clock.instant().minus(Duration.ofHours(now.maxAgeHours().getAsInt()));
      found.stream()
          .filter(one -> mayBeDropped(one) && one.createdAt().isBefore(oldest))
          .forEach(dropped::add);
    }
    if (!dropped.isEmpty()) {
      dropped.forEach(this::forget);
      layers.collectSoon();
    }
  }

  private static boolean mayBeDropped(Checkpoint one) {
    return one.reason().automatic()
        || one.reason() == Checkpoint.Reason.INSIDE
        || one.reason() == Checkpoint.Reason.BEFORE_RESTORE;
  }

  private static List<Checkpoint> allButNewest(
      List<Checkpoint> oldestFirst, Predicate<Checkpoint> which, int kept) {
    List<Checkpoint> those = oldestFirst.stream().filter(which).toList();
    return those.subList(0, Math.max(0, those.size() - kept));
  }

  /** A checkpoint of a sandbox that never was here, made of layers that are. */
  public Checkpoint add(
      String name,
      SandboxTemplate template,
      Tier tier,
      Resources resources,
      Map<String, String> env,
      List<LayerId> stack) {
    requireName(name);
    requireRoom();
    var checkpoint =
        new Checkpoint(
            CheckpointId.random(),
            Scope.here(),
            SandboxId.random(),
            name,
            Checkpoint.Reason.IMPORTED,
            Micros.now(clock),
            template,
            tier,
            resources,
            env,
            stack,
            0,
            Duration.ZERO,
            true);
    rows.insert(checkpoint);
    FailPoint.CHECKPOINT_RECORDED.reached();
    all.put(checkpoint.id(), checkpoint);
    return checkpoint;
  }

  private void requireRoom() {
    if (all.size() >= MAX_CHECKPOINTS) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "There are too many checkpoints; delete some of them.");
    }
  }

  public static void requireName(String name) {
    try {
      Checkpoint.requireName(name);
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }

  /** Those that concern the caller, the oldest first. */
  public List<Checkpoint> list() {
    return all.values().stream()
        .filter(checkpoint -> Scope.covers(checkpoint.project()))
        .sorted(BY_AGE)
        .toList();
  }

  public List<Checkpoint> of(SandboxId sandbox) {
    return all.values().stream()
        .filter(checkpoint -> checkpoint.sandbox().equals(sandbox))
        .sorted(BY_AGE)
        .toList();
  }

  public Checkpoint require(String id) {
    Checkpoint found = CheckpointId.isValid(id) ? all.get(new CheckpointId(id)) : null;
    if (found == null || !Scope.covers(found.project())) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such checkpoint.");
    }
    return found;
  }

  /** Names the content of a checkpoint's newest layer; nothing in the first moments. */
  public Optional<String> digest(Checkpoint checkpoint) {
    return node.digest(checkpoint.layers().getFirst());
  }

  public void delete(String id) {
    forget(require(id));
    layers.collect();
  }

  /** Drops the row, if somebody else has not yet; layers that only it needed stay for now. */
  public void forget(Checkpoint checkpoint) {
    rows.remove(checkpoint.id());
    FailPoint.CHECKPOINT_FORGOTTEN.reached();
    all.remove(checkpoint.id());
  }
}
