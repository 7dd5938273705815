package dev.cove.egress;

import dev.cove.egress.call.GuardedCalls;
import dev.cove.egress.decision.AddressGuard;
import dev.cove.egress.decision.HostAddresses;
import dev.cove.egress.group.Groups;
import dev.cove.egress.intake.Intake;
import dev.cove.egress.intercept.HttpInterception;
import dev.cove.egress.limit.DailyBytes;
import dev.cove.egress.log.Toll;
import dev.cove.egress.name.CachedResolver;
import dev.cove.egress.name.NameTables;
import dev.cove.egress.name.Resolver;
import dev.cove.egress.relay.BufferPool;
import dev.cove.egress.relay.Lanes;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.meter.BootClock;
import dev.cove.model.meter.Counter;
import dev.cove.model.meter.Moment;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Verdict;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way out of all sandboxes of a server. */
public final class Gateway implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
  private static final long LARGE_BUFFERS = 64L << 20;
  private static final int CHECKS_PER_IDLE_TIME = 10;

  private final GatewaySettings settings;
  private final NetworkOwner owner;
  private final HttpInterception interception;
  private final Intake.Asked asked;
  private final AddressGuard guard;
  private final Resolver resolver;
  private final NameTables names;
  private final Groups groups = new Groups();
  private final BufferPool buffers = new BufferPool(LARGE_BUFFERS);
  private final Lanes lanes = new Lanes();
  private final Map<SandboxId, SandboxNetwork> networks = new ConcurrentHashMap<>();
  private final Moment opened = BootClock.ofHost().now();
  private final Map<SandboxId, Toll> tolls = new ConcurrentHashMap<>();
  private final Map<ProjectName, DailyBytes> days = new ConcurrentHashMap<>();
  private final Clock clock;
  private final Thread idleWatch;

  public Gateway(
      GatewaySettings settings, NetworkOwner owner, HttpInterception interception, Clock clock)
      throws IOException {
    this(
        settings,
        owner,
        interception,
        clock,
        accepted -> (InetSocketAddress) accepted.getLocalAddress());
  }

  Gateway(
      GatewaySettings settings,
      NetworkOwner owner,
      HttpInterception interception,
      Clock clock,
      Intake.Asked asked)
      throws IOException {
    this.settings = settings;
    this.owner = owner;
    this.interception = interception;
    this.clock = clock;
    this.asked = asked;
    guard =
        new AddressGuard(
            settings.opened(), settings.refused(), settings.ownPorts(), new HostAddresses());
    resolver = new CachedResolver(settings.resolver());
    names = new NameTables(settings.folder());
    idleWatch = Thread.ofVirtual().name("idle-watch").start(this::watchIdle);
  }

  /**
   * Serves a sandbox's network from now on. The sockets belong to it then, also when this fails.
   *
   * @throws IllegalStateException that sandbox has one already
   */
  public SandboxNetwork attach(
      SandboxId id, NetworkSockets sockets, ProjectName project, NetworkPolicy policy)
      throws IOException {
    try {
      var network = new SandboxNetwork(id, sockets, project, policy, this, names.open(id));
      if (networks.putIfAbsent(id, network) != null) {
        throw new IllegalStateException("That sandbox's network is attached already");
      }
      network.start();
      return network;
    } catch (IOException | RuntimeException e) {
      sockets.close();
      throw e;
    }
  }

  void detach(SandboxId id, SandboxNetwork network) {
    networks.remove(id, network);
  }

  /** Adds a port of Cove itself, which was not known when this was made. */
  public void addOwnPort(int port) {
    guard.addOwnPort(port);
  }

  /** How much of the network any sandbox may have. */
  public NetworkLimits most() {
    return settings.limits().most();
  }

  /** Requests of Cove's own, to which the same addresses are closed. */
  public GuardedCalls calls() {
    return new GuardedCalls(resolver, guard);
  }

  /**
   * Whether a look into TLS may be taken, for the sake of these settings or of the operator's
   * rules.
   */
  public boolean looksIntoTls(NetworkSettings wanted) {
    return wanted.looksIntoTls()
        || (settings.floor().looksAtRequests() && !wanted.equals(NetworkSettings.NOTHING));
  }

  /** What a sandbox has sent and received since this was opened; empty if it was never here. */
  public Optional<NetworkUse> use(SandboxId id) {
    return Optional.ofNullable(tolls.get(id))
        .map(toll ->
            new NetworkUse(new Counter(opened, toll.sent()), new Counter(opened, toll.received())));
  }

  /** What the sandboxes of a project send and receive today, all together. */
  public DailyBytes day(ProjectName project) {
    return days.computeIfAbsent(project, name -> new DailyBytes(name, clock, () -> cutSpent(name)));
  }

  private void cutSpent(ProjectName project) {
    Verdict why = day(project).verdict();
    networks.values().stream()
        .filter(network -> network.project().equals(project))
        .forEach(network -> network.cutSpent(why));
  }

  Toll toll(SandboxId id) {
    return tolls.computeIfAbsent(id, _ -> new Toll());
  }

  /** Removes what is kept of a sandbox that will not come back. */
  public void forget(SandboxId id) throws IOException {
    tolls.remove(id);
    names.forget(id);
    interception.forget(id);
  }

  /** What a sandbox has to trust where TLS is ended for it, as PEM; made when first asked for. */
  public Optional<byte[]> caCertificate(SandboxId id) throws IOException {
    return interception.caCertificate(id);
  }

  /** The sandboxes of which something is kept. */
  public Set<SandboxId> remembered() throws IOException {
    return names.remembered();
  }

  GatewaySettings settings() {
    return settings;
  }

  NetworkOwner owner() {
    return owner;
  }

  HttpInterception interception() {
    return interception;
  }

  Intake.Asked asked() {
    return asked;
  }

  AddressGuard guard() {
    return guard;
  }

  Resolver resolver() {
    return resolver;
  }

  Groups groups() {
    return groups;
  }

  BufferPool buffers() {
    return buffers;
  }

  Lanes lanes() {
    return lanes;
  }

  private void watchIdle() {
    Duration idle = settings.limits().idle();
    try {
      while (true) {
        Thread.sleep(idle.dividedBy(CHECKS_PER_IDLE_TIME));
        networks.values().forEach(network -> network.cutIdle(idle.toNanos()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cuts everything that goes on; what is remembered stays. */
  @Override
  public void close() {
    idleWatch.interrupt();
    for (SandboxNetwork network : List.copyOf(networks.values())) {
      try {
        network.close();
      } catch (IOException e) {
        LOG.warn("The network of a sandbox could not be closed in order", e);
      }
    }
    lanes.close();
    resolver.close();
  }
}
