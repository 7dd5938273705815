package dev.cove.egress.intake;

import dev.cove.egress.http.Page;
import dev.cove.egress.limit.RateLimit;
import dev.cove.egress.log.Account;
import dev.cove.egress.log.Journal;
import dev.cove.egress.name.NameListener;
import dev.cove.egress.name.NameTable;
import dev.cove.egress.relay.Connection;
import dev.cove.egress.relay.Connections;
import dev.cove.egress.relay.Inflow;
import dev.cove.model.network.Destination;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a sandbox's connections, each on a thread of its own. */
public final class Intake implements AutoCloseable {
  /** Finds out where a connection wanted to go. */
  public interface Asked {
    InetSocketAddress destinationOf(SocketChannel accepted) throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(50);

  /** So many at once are told why there is no place for them; the others are just cut. */
  private static final int REFUSALS_AT_ONCE = 32;

  private final Semaphore refusals = new Semaphore(REFUSALS_AT_ONCE);
  private final ServerSocketChannel listener;
  private final Asked asked;
  private final NameTable names;
  private final NameListener nameListener;
  private final Connections connections;
  private final RateLimit newConnections;
  private final Journal journal;
  private final Services services;
  private final ProxyPort proxy;

  public Intake(
      ServerSocketChannel listener,
      Asked asked,
      NameTable names,
      NameListener nameListener,
      Connections connections,
      RateLimit newConnections,
      Journal journal,
      Services services) {
    this.listener = listener;
    this.asked = asked;
    this.names = names;
    this.nameListener = nameListener;
    this.connections = connections;
    this.newConnections = newConnections;
    this.journal = journal;
    this.services = services;
    this.proxy = new ProxyPort(services);
  }

  public void start() {
    Thread.ofVirtual().name("intake").start(this::accept);
  }

  /** Whatever a host lacks for a while, the sandbox has its network again when that is there. */
  private void accept() {
    boolean failing = false;
    while (listener.isOpen()) {
      try {
        admit(listener.accept());
        failing = false;
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | Error e) {
        if (!failing) {
          LOG.warn("Connections of sandbox {} wait: {}", services.sandbox(), e.toString());
        }
        failing = true;
        if (!pause()) {
          return;
        }
      }
    }
  }

  /** Whatever failed, such as too many open files, might fail again at once. */
  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void admit(SocketChannel client) {
    var account = new Account(journal);
    var connection = new Connection(client, account);
    if (!newConnections.take()) {
      turnAway(connection, new Verdict(Outcome.DENIED, "limit new connections"));
    } else if (!connections.add(connection)) {
      turnAway(connection, new Verdict(Outcome.DENIED, "limit connections"));
    } else {
      // Only now: whoever finds that nothing is left cuts those that are registered.
      journal
          .spent()
          .ifPresentOrElse(
              why -> {
                connections.remove(connection);
                turnAway(connection, why);
              },
              () -> begin(connection, account));
    }
  }

  private void begin(Connection connection, Account account) {
    boolean begun = false;
    try {
      Thread.ofVirtual().start(() -> serve(connection, account));
      begun = true;
    } finally {
      if (!begun) {
        connections.remove(connection);
        connection.cut();
      }
    }
  }

  private void turnAway(Connection connection, Verdict limit) {
    try {
      InetSocketAddress to = asked.destinationOf(connection.client());
      Destination destination =
          destination(to).orElse(Destination.of(to.getAddress(), to.getPort()));
      journal.denied(destination, limit);
      if (refusals.tryAcquire()) {
        Thread.ofVirtual().start(() -> refuse(connection, destination, limit));
        return;
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("A connection over a limit went before it was turned away", e);
    }
    connection.cut();
  }

  /** Takes the time to say why. */
  private void refuse(Connection connection, Destination destination, Verdict limit) {
    try {
      new Refusal(connection, new Inflow(connection.client()))
          .send(page(destination.toString(), limit));
    } catch (IOException | RuntimeException e) {
      LOG.debug("A connection over a limit could not be told so", e);
    } finally {
      connection.cut();
      refusals.release();
    }
  }

  private Page page(String destination, Verdict limit) {
    return journal.spentToday().filter(limit::equals).isPresent()
        ? Page.overQuota(destination, limit.rule())
        : Page.limited(destination, limit.rule());
  }

  /** Nothing that goes wrong with a connection does more than end it. */
  private void serve(Connection connection, Account account) {
    try {
      connection.client().setOption(StandardSocketOptions.TCP_NODELAY, true);
      serve(connection, account, asked.destinationOf(connection.client()));
      connection.close();
    } catch (IOException e) {
      connection.cut();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      connection.cut();
    } catch (Exception | Error e) {
      journal.fault();
      LOG.error("A connection of sandbox {} failed", services.sandbox(), e);
      connection.cut();
    } finally {
      connections.remove(connection);
    }
  }

  private void serve(Connection connection, Account account, InetSocketAddress to)
      throws Exception {
    if (to.getAddress().equals(InsideAddresses.GATEWAY)) {
      serveGateway(connection, account, to);
      return;
    }
    Optional<Destination> destination = destination(to);
    if (destination.isPresent()) {
      var in = new Inflow(connection.client());
      new Carriage(services, connection, account, in, destination.get()).direct();
    } else {
      nowhere(connection, account, to);
    }
  }

  private void serveGateway(Connection connection, Account account, InetSocketAddress to)
      throws Exception {
    switch (to.getPort()) {
      case InsideAddresses.DNS_PORT -> nameListener.converse(connection.client());
      case InsideAddresses.PROXY_PORT -> proxy.serve(connection, account);
      default -> nowhere(connection, account, to);
    }
  }

  private void nowhere(Connection connection, Account account, InetSocketAddress to)
      throws IOException {
    Destination destination = Destination.of(to.getAddress(), to.getPort());
    var verdict = new Verdict(Outcome.DENIED, "never inside");
    account.denied(destination, verdict);
    new Refusal(connection, new Inflow(connection.client()))
        .send(services.denial(destination, verdict));
  }

  /** Nothing for an address that should stand for a name and does not. */
  private Optional<Destination> destination(InetSocketAddress to) {
    if (!InsideAddresses.NAMES.contains(to.getAddress())) {
      return Optional.of(Destination.of(to.getAddress(), to.getPort()));
    }
    Optional<DomainName> name = names.nameOf(to.getAddress());
    return name.map(found -> Destination.of(found, to.getPort()));
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
