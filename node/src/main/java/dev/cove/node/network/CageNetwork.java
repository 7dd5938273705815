package dev.cove.node.network;

import dev.cove.egress.Gateway;
import dev.cove.egress.NetworkSockets;
import dev.cove.egress.SandboxNetwork;
import dev.cove.egress.group.Entrance;
import dev.cove.engine.Cage;
import dev.cove.engine.EngineException;
import dev.cove.engine.network.InsideSockets;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.NetworkSettings;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one cage's programs find when they look for a network. Until the sockets inside could be
 * opened, and after this is closed, they find that everything is refused.
 */
public final class CageNetwork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CageNetwork.class);
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(2);

  private final Cage cage;
  private final Gateway gateway;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Has the sandbox go on if it stands still. */
  private volatile Runnable stirring = () -> {};

  private final Entrance entrance = new GroupEntrance();

  // Guarded by this.
  private ProjectName project;
  private NetworkSettings settings;
  private @Nullable Served served;
  private boolean closed;

  private final LongAdder visits = new LongAdder();

  private record Served(InsideSockets sockets, SandboxNetwork network) {}

  private CageNetwork(Cage cage, Gateway gateway, ProjectName project, NetworkSettings settings) {
    this.cage = cage;
    this.project = project;
    this.gateway = gateway;
    this.settings = settings;
  }

  /**
   * For a cage in which nothing runs yet.
   *
   * @throws CoveException UNSUPPORTED when it is to reach something, and this host cannot let it
   */
  public static CageNetwork open(
      Cage cage, Gateway gateway, ProjectName project, NetworkSettings settings) {
    var network = new CageNetwork(cage, gateway, project, settings);
    try {
      network.serve();
    } catch (EngineException e) {
      network.requireNothingWanted(e);
    }
    return network;
  }

  /** For a cage that has run without us: somebody inside may stand where our sockets belong. */
  public static CageNetwork reopen(
      Cage cage, Gateway gateway, ProjectName project, NetworkSettings settings) {
    var network = new CageNetwork(cage, gateway, project, settings);
    try {
      network.serve();
    } catch (EngineException e) {
      LOG.warn("sandbox {}: no network yet: {}", cage.id(), e.getMessage());
      Thread.ofVirtual().name("network-" + cage.id()).start(network::serveLater);
    }
    return network;
  }

  private void serveLater() {
    try {
      while (!closing.await(BETWEEN_TRIES.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          serve();
          LOG.info("sandbox {}: has its network", cage.id());
          return;
        } catch (EngineException e) {
          LOG.debug("sandbox {}: still no network: {}", cage.id(), e.getMessage());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void serve() {
    if (closed || served != null) {
      return;
    }
    InsideSockets inside = cage.network().open();
    FailPoint.NETWORK_OPENED.reached();
    try {
      var sockets = new NetworkSockets(inside.connections(), inside.names());
      SandboxNetwork network = gateway.attach(cage.id(), sockets, project, settings.policy());
      set(network);
      served = new Served(inside, network);
    } catch (IOException e) {
      discard(inside);
      throw new EngineException("No gateway for sandbox " + cage.id(), e);
    }
  }

  private static void discard(InsideSockets inside) {
    try {
      inside.close();
    } catch (IOException e) {
      LOG.warn("sockets of a sandbox's network could not be closed", e);
    }
  }

  private void requireNothingWanted(EngineException why) {
    if (!settings.equals(NetworkSettings.NOTHING)) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED,
          "This host cannot give sandboxes a network; cove doctor says why.",
          why);
    }
    LOG.warn("sandbox {}: no network: {}", cage.id(), why.getMessage());
  }

  /** To be done before and after something is sent into the sandbox, which may stand still. */
  public void whenVisited(Runnable stir) {
    stirring = stir;
  }

  /** Whose it is from now on, who was nobody's before. */
  public synchronized void belong(ProjectName owner) {
    project = owner;
    if (served != null) {
      served.network().belong(owner);
    }
  }

  /** Holds at once for what is open as well. */
  public synchronized void change(NetworkSettings newSettings) {
    settings = newSettings;
    if (served != null) {
      served.network().change(newSettings.policy());
      set(served.network());
    }
  }

  /** All but the policy. */
  private void set(SandboxNetwork network) {
    network.bind(settings.secrets());
    network.attend(settings.attended());
    network.limit(settings.limits());
    settings.membership().ifPresentOrElse(group -> network.join(group, entrance), network::leave);
  }

  /** For the others of its group. */
  private final class GroupEntrance implements Entrance {
    @Override
    public SocketChannel open(StandardProtocolFamily family) throws IOException {
      stir();
      try {
        return cage.network().visitor(family);
      } catch (EngineException e) {
        throw new IOException("Sandbox " + cage.id() + " cannot be entered", e);
      }
    }

    @Override
    public void stir() {
      stirring.run();
    }

    @Override
    public void passed() {
      visits.increment();
    }
  }

  /** How much has gone to the world and come from it, or gone to others of its group. */
  public long traffic() {
    return visits.sum() + served().map(SandboxNetwork::bytes).orElse(0L);
  }

  public synchronized Optional<SandboxNetwork> served() {
    return Optional.ofNullable(served).map(Served::network);
  }

  @Override
  public void close() {
    closing.countDown();
    Served last;
    synchronized (this) {
      closed = true;
      last = served;
      served = null;
    }
    if (last == null) {
      return;
    }
    try (InsideSockets _ = last.sockets();
        SandboxNetwork _ = last.network()) {
      LOG.debug("sandbox {}: its network ends", cage.id());
    } catch (IOException e) {
      LOG.warn("sandbox {}: its network did not end in order", cage.id(), e);
    }
  }
}
