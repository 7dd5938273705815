package dev.cove.edge;

import dev.cove.egress.secret.Vault;
import dev.cove.engine.EngineReport;
import dev.cove.guest.AgentBinary;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestLink;
import dev.cove.guest.TcpStream;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Boundary;
import dev.cove.model.boundary.ForkCost;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import dev.cove.model.file.FileSink;
import dev.cove.model.network.NetworkSettings;
import dev.cove.node.Node;
import dev.cove.node.NodeDisk;
import dev.cove.node.NodeSecrets;
import dev.cove.node.NodeStatus;
import dev.cove.node.NodeVolumes;
import dev.cove.node.Reading;
import dev.cove.node.SandboxMetrics;
import dev.cove.node.secret.LocalSecrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A machine without cages: each sandbox is the real agent as an ordinary process of this machine.
 * Everything that the edge asks of a guest is answered by the real thing.
 */
final class LocalNode implements Node {
  final QuietNetworks networks = new QuietNetworks();
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path folder;
  private final Path program;
  private final Map<SandboxId, SandboxSpec> reserved = new ConcurrentHashMap<>();
  private final Map<SandboxId, Agent> agents = new ConcurrentHashMap<>();
  private final NodeSecrets secrets;
  final AtomicLong oomKills = new AtomicLong();
  private volatile Consumer<SandboxId> wanted = _ -> {};

  LocalNode(Path folder) throws IOException {
    this.folder = folder;
    this.program = folder.resolve("cove-agent");
    this.secrets =
        new LocalSecrets(
            Vault.open(folder.resolve("secrets"), Clock.systemUTC()),
            NetworkSettings::looksIntoTls);
    // Once: a program that is being written cannot be run, and a fork keeps it open for writing.
    Files.write(program, AgentBinary.forThisMachine().bytes());
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private record Agent(Process process, GuestLink link, SandboxSpec spec) {}

  @Override
  public boolean runs(SandboxId id) {
    return agents.containsKey(id);
  }

  @Override
  public Map<SandboxId, Presence> recover(Map<SandboxId, Expected> expected) {
    return Map.of();
  }

  @Override
  public void onWanted(Consumer<SandboxId> listener) {
    this.wanted = listener;
  }

  /** Nothing stands still on such a machine; the link is held as elsewhere. */
  @Override
  public void pause(SandboxId id) {
    require(id).link().rest(() -> wanted.accept(id));
  }

  @Override
  public Optional<Activity> activity(SandboxId id) {
    return Optional.ofNullable(agents.get(id))
        .map(agent ->
            new Activity(
                1,
                agent.link().calls(),
                agent.link().attended(),
                agent.link().carried(),
                Duration.ZERO));
  }

  @Override
  public boolean pauseUnless(SandboxId id, Activity seen) {
    pause(id);
    return true;
  }

  @Override
  public void resume(SandboxId id) {
    require(id).link().rouse();
  }

  @Override
  public void stop(SandboxId id, Duration grace) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot keep files");
  }

  @Override
  public void restart(SandboxId id, SandboxSpec spec) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot keep files");
  }

  @Override
  public void onLost(LostListener listener) {}

  @Override
  public void onCheckpointAsked(CheckpointListener listener) {}

  @Override
  public Reservation reserve(SandboxSpec spec, List<LayerId> layers) {
    if (!(spec.template().base() == Base.HOST)) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, "There is no such template");
    }
    SandboxId id = SandboxId.random();
    reserved.put(id, spec);
    return new Reservation(id, false);
  }

  @Override
  public void start(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    reserved.remove(id);
    try {
      agents.put(id, startAgent(id, spec));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As on a host that cannot; what the edge says of those that can is tested end to end. */
  @Override
  public Sealed seal(SandboxId id) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot make checkpoints");
  }

  @Override
  public Sealed copy(SandboxId id) {
    return seal(id);
  }

  @Override
  public Optional<Stillness> stillness(SandboxId id) {
    return Optional.empty();
  }

  @Override
  public SandboxId show(Scene scene, Base base, List<LayerId> layers) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot make checkpoints");
  }

  @Override
  public void rebuild(
      SandboxId id, SandboxSpec spec, List<LayerId> layers, List<LayerId> layersBefore) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot make checkpoints");
  }

  @Override
  public void revive(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    throw new CoveException(ErrorCode.UNSUPPORTED, "This host cannot make checkpoints");
  }

  @Override
  public long keepLayers(Set<LayerId> recorded) {
    return 0;
  }

  @Override
  public void verifyLayers(SandboxSpec spec, List<LayerId> layers) {}

  @Override
  public Optional<String> digest(LayerId layer) {
    return Optional.empty();
  }

  @Override
  public QuietNetworks networks() {
    return networks;
  }

  @Override
  public NodeSecrets secrets() {
    return secrets;
  }

  @Override
  public NodeVolumes volumes() {
    return new NoVolumes();
  }

  @Override
  public NodeDisk disk() {
    var boxes = new HashMap<SandboxId, NodeDisk.SandboxDisk>();
    agents.keySet().forEach(id -> boxes.put(id, new NodeDisk.SandboxDisk(4096, List.of())));
    return new NodeDisk(Map.of(), boxes);
  }

  @Override
  public NodeDisk.Space diskSpace() {
    return new NodeDisk.Space(1L << 40, 1L << 39);
  }

  private Agent startAgent(SandboxId id, SandboxSpec spec)
      throws IOException, InterruptedException {
    Path socket = folder.resolve(id + ".sock");
    Process process =
        new ProcessBuilder(program.toString(), "--socket", socket.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(id + ".log").toFile())
            .start();
    return new Agent(process, GuestLink.open(connect(process, socket), PATIENCE), spec);
  }

  // The socket has a name a moment before it listens.
  private static SocketChannel connect(Process process, Path socket)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket));
      } catch (SocketException e) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw e;
        }
        process.waitFor(1, TimeUnit.MILLISECONDS);
      }
    }
  }

  @Override
  public void remove(SandboxId id) {
    reserved.remove(id);
    Agent agent = agents.remove(id);
    if (agent != null) {
      end(agent);
    }
  }

  private static void end(Agent agent) {
    agent.link().close();
    // SIGTERM: it kills its commands and leaves.
    agent.process().destroy();
    try {
      if (!agent.process().waitFor(20, TimeUnit.SECONDS)) {
        agent.process().destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      agent.process().destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Guest guest(SandboxId id) {
    return new LocalGuest(require(id).link());
  }

  @Override
  public TcpStream connect(SandboxId id, int port) {
    return guest(id).connect(port);
  }

  private Agent require(SandboxId id) {
    Agent agent = agents.get(id);
    if (agent == null) {
      throw new CoveException(ErrorCode.CONFLICT, "The sandbox does not run");
    }
    return agent;
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
    Agent agent = require(id);
    return new SandboxMetrics(
        Duration.ofMillis(1_500),
        10_000,
        20_000,
        30_000,
        40_000,
        50,
        60,
        7,
        oomKills.get(),
        agent.spec().resources());
  }

  @Override
  public Reading reading(SandboxId id) {
    return new Reading(
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Override
  public void onEnded(EndListener newListener) {}

  @Override
  public long oomKills(SandboxId id) {
    return oomKills.get();
  }

  @Override
  public NodeStatus status() {
    return new NodeStatus(agents.size(), 1_000, 0, 1L << 30, 0, false);
  }

  @Override
  public Map<Tier, EngineReport> engines() {
    var finding =
        new EngineReport.Finding(
            EngineReport.Severity.WARNING, "disk", "Nothing limits the disk here");
    var boundary =
        new Boundary(
            "nothing at all",
            KernelOf.SHARED,
            false,
            PausedMemory.RAM,
            false,
            ForkCost.SHARED_FILES,
            false,
            List.of(),
            List.of("Everything: programs run on the host itself"));
    return Map.of(Tier.CONTAINER, new EngineReport(true, false, List.of(finding), boundary));
  }

  @Override
  public void close() {
    agents.values().forEach(LocalNode::end);
    agents.clear();
  }
}
