package dev.cove.control.sandbox;

import dev.cove.engine.EngineReport;
import dev.cove.guest.Guest;
import dev.cove.guest.TcpStream;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.StopReason;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Boundary;
import dev.cove.model.boundary.ForkCost;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import dev.cove.model.file.FileSink;
import dev.cove.node.Node;
import dev.cove.node.NodeDisk;
import dev.cove.node.NodeStatus;
import dev.cove.node.Reading;
import dev.cove.node.SandboxMetrics;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A machine made of two sets: what has a place, and what runs. It keeps the promises of Node. */
final class FakeNode implements Node {
  final QuietNetworks networks = new QuietNetworks();
  final FakeSecrets secrets = new FakeSecrets();
  static final long LAYER_BYTES = 4096;

  final Set<SandboxId> reserved = ConcurrentHashMap.newKeySet();
  final Map<SandboxId, SandboxSpec> running = new ConcurrentHashMap<>();
  final Map<SandboxId, List<LayerId>> standsOn = new ConcurrentHashMap<>();
  final Set<LayerId> layers = ConcurrentHashMap.newKeySet();
  final Set<SandboxId> shown = ConcurrentHashMap.newKeySet();
  final Set<LayerId> damaged = ConcurrentHashMap.newKeySet();
  private final FakeVolumes volumes = new FakeVolumes();
  final AtomicInteger starts = new AtomicInteger();
  volatile boolean warm;
  volatile boolean startsFail;
  volatile boolean removalsFail;

  /** Below zero while something runs in all sandboxes. */
  final AtomicInteger calls = new AtomicInteger();

  volatile boolean sealsFail;
  volatile int maxSandboxes = 10_000;
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile LostListener listener = (_, _, _) -> {};
  volatile Consumer<SandboxId> wanted = _ -> {};
  final Set<SandboxId> paused = ConcurrentHashMap.newKeySet();
  final Set<SandboxId> stopped = ConcurrentHashMap.newKeySet();
  static final Reading NOTHING_READ =
      new Reading(
          Optional.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Optional.empty(),
          Optional.empty());
  final Map<SandboxId, Reading> readings = new ConcurrentHashMap<>();
  volatile EndListener ended = (_, _) -> {};
  final AtomicInteger resumes = new AtomicInteger();
  volatile boolean pausesFail;
  static final Activity STILL = new Activity(1, 0, false, 0, Duration.ZERO);
  final Map<SandboxId, Activity> activities = new ConcurrentHashMap<>();

  @Override
  public void onCheckpointAsked(CheckpointListener newListener) {}

  /** Starts wait from now on, until {@link #openGate}. */
  void closeGate() {
    gate = new CountDownLatch(1);
  }

  void openGate() {
    gate.countDown();
  }

  @Override
  public boolean runs(SandboxId id) {
    return running.containsKey(id);
  }

  /** What happens when an agent ends by itself. */
  void lose(SandboxId id, StopReason reason) {
    running.remove(id);
    paused.remove(id);
    stopped.add(id);
    listener.lost(id, reason, true);
  }

  /** What happens when nothing can be saved either. */
  void loseAll(SandboxId id, StopReason reason) {
    running.remove(id);
    listener.lost(id, reason, false);
  }

  /** All processes end, as with the host's; files stay. */
  void haltAll() {
    stopped.addAll(running.keySet());
    running.clear();
    paused.clear();
  }

  @Override
  public Map<SandboxId, Presence> recover(Map<SandboxId, Expected> expected) {
    running.keySet().retainAll(expected.keySet());
    stopped.retainAll(expected.keySet());
    reserved.clear();
    var found = new HashMap<SandboxId, Presence>();
    expected.forEach((id, known) -> {
      if (known.presence() == Presence.STOPPED && running.remove(id) != null) {
        stopped.add(id);
      }
      if (running.containsKey(id)) {
        found.put(id, known.presence());
      } else if (stopped.contains(id)) {
        found.put(id, Presence.STOPPED);
      }
    });
    paused.clear();
    found.forEach((id, presence) -> {
      if (presence == Presence.PAUSED) {
        paused.add(id);
      }
    });
    return found;
  }

  @Override
  public void onWanted(Consumer<SandboxId> newListener) {
    wanted = newListener;
  }

  @Override
  public void pause(SandboxId id) {
    requireRunning(id);
    if (pausesFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "a process does not stand still");
    }
    paused.add(id);
  }

  @Override
  public Optional<Activity> activity(SandboxId id) {
    return running.containsKey(id)
        ? Optional.of(activities.getOrDefault(id, STILL))
        : Optional.empty();
  }

  @Override
  public boolean pauseUnless(SandboxId id, Activity seen) {
    requireRunning(id);
    boolean quiet = activities.getOrDefault(id, STILL).quietSince(seen);
    if (quiet) {
      pause(id);
    }
    return quiet;
  }

  @Override
  public void resume(SandboxId id) {
    requireRunning(id);
    resumes.incrementAndGet();
    paused.remove(id);
  }

  @Override
  public void stop(SandboxId id, Duration grace) {
    if (removalsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "a process does not end");
    }
    if (running.remove(id) != null) {
      paused.remove(id);
      stopped.add(id);
    }
  }

  @Override
  public void restart(SandboxId id, SandboxSpec spec) {
    starts.incrementAndGet();
    awaitGate();
    if (startsFail || !stopped.contains(id)) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "the cage could not be built");
    }
    stopped.remove(id);
    running.put(id, spec);
  }

  private void requireRunning(SandboxId id) {
    if (!running.containsKey(id)) {
      throw new CoveException(ErrorCode.CONFLICT, "not running");
    }
  }

  @Override
  public QuietNetworks networks() {
    return networks;
  }

  @Override
  public FakeSecrets secrets() {
    return secrets;
  }

  @Override
  public FakeVolumes volumes() {
    return volumes;
  }

  @Override
  public void onLost(LostListener newListener) {
    listener = newListener;
  }

  @Override
  public synchronized Reservation reserve(SandboxSpec spec, List<LayerId> layers) {
    if (reserved.size() + running.size() >= maxSandboxes) {
      throw new CoveException(ErrorCode.NO_ROOM, "full");
    }
    SandboxId id = SandboxId.random();
    reserved.add(id);
    return new Reservation(id, warm);
  }

  @Override
  public void start(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    starts.incrementAndGet();
    awaitGate();
    if (startsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "the cage could not be built");
    }
    synchronized (this) {
      if (!reserved.remove(id)) {
        throw new IllegalStateException(id + " was not reserved");
      }
      running.put(id, spec);
    }
    standsOn.put(id, layers);
  }

  @Override
  public Sealed seal(SandboxId id) {
    if (!running.containsKey(id)) {
      throw new CoveException(ErrorCode.CONFLICT, "not running");
    }
    if (sealsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "the disk is full");
    }
    var layer = LayerId.random();
    List<LayerId> stack = new ArrayList<>(standsOn.getOrDefault(id, List.of()));
    stack.addFirst(layer);
    layers.add(layer);
    standsOn.put(id, List.copyOf(stack));
    return new Sealed(List.copyOf(stack), 4096, Duration.ofMillis(1), false, stillness(id));
  }

  @Override
  public Sealed copy(SandboxId id) {
    List<LayerId> before = standsOn.getOrDefault(id, List.of());
    Sealed made = seal(id);
    standsOn.put(id, before);
    return new Sealed(made.layers(), made.bytes(), made.frozen(), true, made.still());
  }

  @Override
  public Optional<Stillness> stillness(SandboxId id) {
    int now = calls.get();
    return now < 0 ? Optional.empty() : Optional.of(new Stillness(1, now));
  }

  @Override
  public SandboxId show(Scene scene, Base base, List<LayerId> under) {
    starts.incrementAndGet();
    awaitGate();
    if (startsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "the cage could not be built");
    }
    SandboxId id = SandboxId.random();
    shown.add(id);
    standsOn.put(id, under);
    return id;
  }

  @Override
  public void rebuild(SandboxId id, SandboxSpec spec, List<LayerId> under, List<LayerId> before) {
    standsOn.put(id, startsFail ? before : under);
    if (startsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "the cage could not be built");
    }
  }

  @Override
  public void revive(SandboxId id, SandboxSpec spec, List<LayerId> under) {
    if (startsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "the cage could not be built");
    }
    running.put(id, spec);
    standsOn.put(id, under);
  }

  @Override
  public long keepLayers(Set<LayerId> recorded) {
    int before = layers.size();
    layers.removeIf(layer ->
        !recorded.contains(layer)
            && standsOn.values().stream().noneMatch(stack -> stack.contains(layer)));
    return LAYER_BYTES * (before - layers.size());
  }

  @Override
  public void verifyLayers(SandboxSpec spec, List<LayerId> under) {
    if (under.stream().anyMatch(damaged::contains)) {
      throw new CoveException(ErrorCode.LAYER_DAMAGED, "damaged");
    }
  }

  @Override
  public Optional<String> digest(LayerId layer) {
    return Optional.of("sha256:" + layer);
  }

  @Override
  public NodeDisk disk() {
    var sizes = new HashMap<LayerId, Long>();
    layers.forEach(layer -> sizes.put(layer, LAYER_BYTES));
    var boxes = new HashMap<SandboxId, NodeDisk.SandboxDisk>();
    standsOn.forEach((id, stack) -> boxes.put(id, new NodeDisk.SandboxDisk(100, stack)));
    return new NodeDisk(sizes, boxes);
  }

  @Override
  public NodeDisk.Space diskSpace() {
    return new NodeDisk.Space(1 << 30, 1 << 20);
  }

  @Override
  public void remove(SandboxId id) {
    if (removalsFail) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "a process does not end");
    }
    reserved.remove(id);
    running.remove(id);
    paused.remove(id);
    stopped.remove(id);
    shown.remove(id);
    standsOn.remove(id);
  }

  @Override
  public TcpStream connect(SandboxId id, int port) {
    return guest(id).connect(port);
  }

  @Override
  public Guest guest(SandboxId id) {
    if (!running.containsKey(id) && !shown.contains(id)) {
      throw new CoveException(ErrorCode.CONFLICT, "not running");
    }
    return (Guest)
        Proxy.newProxyInstance(
            Guest.class.getClassLoader(),
            new Class<?>[] {Guest.class},
            (_, method, _) -> method.getName().equals("toString") ? "guest of " + id : null);
  }

  @Override
  public LayerDescription describeLayer(LayerId layer) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "Layers stay here");
  }

  @Override
  public void exportLayer(LayerId layer, OutputStream out) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "Layers stay here");
  }

  @Override
  public void backup(Kept kept, FileSink sink) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "What is here stays here");
  }

  @Override
  public void importLayer(LayerId layer, LayerDescription promised, InputStream in) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "Layers stay here");
  }

  @Override
  public List<String> partsOf(Base base) {
    return List.of();
  }

  @Override
  public SandboxMetrics metrics(SandboxId id) {
    return new SandboxMetrics(Duration.ZERO, 1, 2, 3, 4, 5, 6, 7, 8, Resources.DEFAULT);
  }

  @Override
  public Reading reading(SandboxId id) {
    return readings.getOrDefault(id, NOTHING_READ);
  }

  @Override
  public void onEnded(EndListener newListener) {
    ended = newListener;
  }

  @Override
  public long oomKills(SandboxId id) {
    return 0;
  }

  @Override
  public NodeStatus status() {
    return new NodeStatus(running.size(), maxSandboxes, 0, 0, 0, false);
  }

  @Override
  public Map<Tier, EngineReport> engines() {
    var boundary =
        new Boundary(
            "a fake",
            KernelOf.SHARED,
            false,
            PausedMemory.RAM,
            false,
            ForkCost.SHARED_FILES,
            false,
            List.of(),
            List.of());
    return Map.of(Tier.CONTAINER, new EngineReport(true, false, List.of(), boundary));
  }

  @Override
  public void close() {}

  private void awaitGate() {
    try {
      if (!gate.await(20, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The test never opened the gate");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
