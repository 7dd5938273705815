package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.control.project.Scope;
import dev.cove.control.service.Service;
import dev.cove.control.usage.Budget;
import dev.cove.control.volume.VolumeWish;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ResourceWish;
import dev.cove.model.Resources;
import dev.cove.model.SandboxSpec;
import dev.cove.model.Workspace;
import dev.cove.model.boundary.TierWish;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * Goes from sandboxes to checkpoints and back: take one, return to one, begin others with one.
 *
 * <p>A fork is a checkpoint and as many creates that begin with it; there is no second way to
 * create.
 */
public final class Branches {
  public static final int MAX_FORKS = 1_000;

  private final SandboxLifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final Layers layers;
  private final Node node;

  public Branches(SandboxLifecycle lifecycle, Checkpoints checkpoints, Layers layers, Node node) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.layers = layers;
    this.node = node;
    lifecycle.afterRemoval(layers::collectSoon);
  }

  public Checkpoint checkpoint(String idOrName, String name) {
    return lifecycle.exclusively(
        idOrName,
        sandbox -> checkpoints.take(sandbox.id(), sandbox.spec(), name, Checkpoint.Reason.ASKED));
  }

  public List<Checkpoint> checkpointsOf(String idOrName) {
    return checkpoints.of(lifecycle.require(idOrName).id());
  }

  /**
   * A sandbox that went back.
   *
   * @param undo the state it had before
   */
  public record Restored(Sandbox sandbox, Checkpoint undo) {}

  /** Takes a sandbox back to a checkpoint; its processes end, and it runs, also if it rested. */
  public Restored restore(String idOrName, String checkpointId) {
    Checkpoint undo =
        Step.RESTORE.run(
            () -> lifecycle.running(idOrName, sandbox -> restore(sandbox, checkpointId)));
    return new Restored(lifecycle.require(undo.sandbox().value()), undo);
  }

  private Checkpoint restore(Sandbox sandbox, String checkpointId) {
    return layers.using(() -> {
      Checkpoint target = checkpoints.require(checkpointId);
      SandboxSpec spec = sandbox.spec();
      if (target.template().base() != spec.template().base()
          || target.resources().diskMb() != spec.resources().diskMb()) {
        throw new CoveException(
            ErrorCode.CONFLICT,
            "The checkpoint is of a sandbox with another base or disk size; create a new"
                + " sandbox from it instead.");
      }
      node.verifyLayers(spec, target.layers());
      Checkpoint undo = checkpoints.take(sandbox.id(), spec, "", Checkpoint.Reason.BEFORE_RESTORE);
      FailPoint.RESTORE_UNDO_TAKEN.reached();
      checkpoints.forgetStill(sandbox.id());
      lifecycle.rebuild(sandbox, target.layers(), undo);
      return undo;
    });
  }

  /**
   * A new sandbox that begins with a checkpoint; what the request leaves open is as it was there.
   *
   * @param wish template and disk size are those of the checkpoint and must not be given; so is the
   *     tier, unless another is named
   */
  public Created create(String checkpointId, FromCheckpoint wish) {
    Optional<IdempotentRequest> repeatable = IdempotentRequest.of(checkpointId, wish);
    return lifecycle.once(
        repeatable,
        () -> {
          lifecycle.requireKept(wish.network());
          return Step.CREATE.run(() ->
              lifecycle.queued(() ->
                  layers.using(() -> begin(checkpoints.require(checkpointId), wish, repeatable))));
        });
  }

  private Sandbox begin(
      Checkpoint from, FromCheckpoint wish, Optional<IdempotentRequest> repeatable) {
    Resources there = from.resources();
    var resources =
        new Resources(
            wish.milliCpus().orElse(there.milliCpus()),
            wish.memoryMb().orElse(there.memoryMb()),
            there.diskMb(),
            wish.maxProcesses().orElse(there.maxProcesses()));
    var request =
        new CreateSandbox(
            wish.name(),
            from.template().name(),
            wish.tier().orElse(from.tier()),
            ResourceWish.exactly(resources),
            wish.env(),
            wish.labels(),
            wish.volumes(),
            wish.workspaces().isEmpty() ? workspacesOf(from) : wish.workspaces(),
            wish.rules(),
            wish.network(),
            wish.group(),
            wish.life(),
            wish.services(),
            wish.budget(),
            wish.idempotencyKey());
    return lifecycle.create(request, Origin.of(from), repeatable);
  }

  /** Those of the sandbox that it is of, for as long as that is there. */
  private List<Workspace> workspacesOf(Checkpoint from) {
    return lifecycle
        .find(from.sandbox())
        .map(sandbox -> sandbox.spec().workspaces())
        .orElse(List.of());
  }

  /**
   * What may be said about a sandbox that begins with a checkpoint.
   *
   * @param workspaces folders of the host; those of the checkpoint's own sandbox where none are
   *     given
   */
  public record FromCheckpoint(
      Optional<String> name,
      TierWish tier,
      Optional<Integer> milliCpus,
      Optional<Integer> memoryMb,
      Optional<Integer> maxProcesses,
      Map<String, String> env,
      Map<String, String> labels,
      List<VolumeWish> volumes,
      List<Workspace> workspaces,
      Optional<CheckpointRules> rules,
      Optional<NetworkSettings> network,
      Optional<GroupMembership> group,
      LifeRules life,
      List<Service> services,
      Optional<Budget> budget,
      Optional<String> idempotencyKey) {
    /** With the folders of the host that the checkpoint's own sandbox has. */
    public FromCheckpoint(
        Optional<String> name,
        TierWish tier,
        Optional<Integer> milliCpus,
        Optional<Integer> memoryMb,
        Optional<Integer> maxProcesses,
        Map<String, String> env,
        Map<String, String> labels,
        List<VolumeWish> volumes,
        Optional<CheckpointRules> rules,
        Optional<NetworkSettings> network,
        Optional<GroupMembership> group,
        LifeRules life,
        List<Service> services,
        Optional<Budget> budget,
        Optional<String> idempotencyKey) {
      this(
          name,
          tier,
          milliCpus,
          memoryMb,
          maxProcesses,
          env,
          labels,
          volumes,
          List.of(),
          rules,
          network,
          group,
          life,
          services,
          budget,
          idempotencyKey);
    }
  }

  /** One of the sandboxes that a fork was to make. */
  public sealed interface Child {
    record Made(Sandbox sandbox) implements Child {}

    record Refused(CoveException why) implements Child {}
  }

  /** What a sandbox is now, for as long as this is open. */
  public record Moment(Checkpoint checkpoint, Layers.Pin pin) implements AutoCloseable {
    @Override
    public void close() {
      pin.close();
    }
  }

  public Moment moment(String idOrName) {
    return moment(
        idOrName, (sandbox, pin) -> checkpoints.moment(sandbox.id(), sandbox.spec(), pin));
  }

  /** The same, and the sandbox stands on what it stood on: of this, nothing stays. */
  public Moment copy(String idOrName) {
    return moment(idOrName, (sandbox, pin) -> checkpoints.copy(sandbox.id(), sandbox.spec(), pin));
  }

  private Moment moment(String idOrName, BiFunction<Sandbox, Layers.Pin, Checkpoint> taking) {
    Layers.Pin pin = layers.pin();
    boolean taken = false;
    try {
      Checkpoint now = lifecycle.exclusively(idOrName, sandbox -> taking.apply(sandbox, pin));
      taken = true;
      return new Moment(now, pin);
    } finally {
      if (!taken) {
        pin.close();
      }
    }
  }

  /**
   * Makes so many sandboxes that begin with the state of one, and with its labels, rules, network
   * and rules of life; each may fail by itself.
   */
  public List<Child> fork(String idOrName, int count) {
    requireCount(count);
    Sandbox parent = lifecycle.require(idOrName);
    var inherited =
        new Inherited(
            parent.spec().labels(),
            checkpoints.rules(parent.id()),
            Optional.of(parent.spec().network()),
            parent.spec().life());
    try (Moment now = moment(idOrName)) {
      FailPoint.FORK_PINNED.reached();
      return children(now.checkpoint(), inherited, count);
    }
  }

  /** Makes so many sandboxes that begin with a checkpoint; each may fail by itself. */
  public List<Child> forkCheckpoint(String checkpointId, int count) {
    requireCount(count);
    try (Layers.Pin pin = layers.pin()) {
      Checkpoint common =
          layers.using(() -> {
            Checkpoint found = checkpoints.require(checkpointId);
            pin.add(found.layers());
            return found;
          });
      return children(common, Inherited.NOTHING, count);
    }
  }

  private static void requireCount(int count) {
    if (count < 1 || count > MAX_FORKS) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "count must be between 1 and " + MAX_FORKS + ".");
    }
  }

  /** What children have of their parent besides its files. */
  private record Inherited(
      Map<String, String> labels,
      CheckpointRules rules,
      Optional<NetworkSettings> network,
      LifeRules life) {
    static final Inherited NOTHING =
        new Inherited(Map.of(), CheckpointRules.DEFAULT, Optional.empty(), LifeRules.SILENT);
  }

  private List<Child> children(Checkpoint common, Inherited inherited, int count) {
    var wish =
        new FromCheckpoint(
            Optional.empty(),
            TierWish.ANY,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            inherited.labels(),
            List.of(), // a volume has one writer, and no child is it
            Optional.of(inherited.rules()),
            inherited.network(),
            inherited.network().flatMap(NetworkSettings::membership),
            inherited.life(),
            List.of(),
            Optional.empty(),
            Optional.empty());
    List<Future<Child>> made = new ArrayList<>();
    Scope scope = Scope.current();
    try (var caller = new Patience.Common(Patience.current());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        made.add(threads.submit(scope.around(caller.patience().around(() -> child(common, wish)))));
      }
    }
    return made.stream().map(Future::resultNow).toList();
  }

  private Child child(Checkpoint common, FromCheckpoint wish) {
    try {
      var made = new Child.Made(lifecycle.queued(() -> begin(common, wish, Optional.empty())));
      FailPoint.FORK_CHILD_MADE.reached();
      return made;
    } catch (CoveException e) {
      return new Child.Refused(e);
    }
  }
}
