package dev.cove.egress.dial;

import dev.cove.egress.decision.Decider;
import dev.cove.egress.group.Member;
import dev.cove.egress.name.Resolution;
import dev.cove.egress.name.Resolver;
import dev.cove.egress.relay.Connection;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Literal;
import dev.cove.model.network.Destination.Named;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Connects one sandbox's connections to the world, and to others of its group. */
public final class Dialer {
  /** Names may have many addresses; this many are tried. */
  private static final int MAX_TRIES = 8;

  private final Resolver resolver;
  private final Decider decider;
  private final Duration patience;

  public Dialer(Resolver resolver, Decider decider, Duration patience) {
    this.resolver = resolver;
    this.decider = decider;
    this.patience = patience;
  }

  /** The real addresses of a destination that rules allow; each is looked at for itself. */
  public Checked check(Destination destination) throws InterruptedException {
    return switch (destination.host()) {
      case Literal(InetAddress address) ->
          decider
              .objection(destination, address, List.of())
              .<Checked>map(Checked.Forbidden::new)
              .orElseGet(() -> new Checked.Addresses(List.of(address)));
      case Named(var name) ->
          switch (lookUp(destination, name)) {
            case Resolution.Found found -> check(destination, found);
            case Resolution.Missing _ -> new Checked.Unknown("no such name");
            case Resolution.Empty _ -> new Checked.Unknown("name without an address");
            case Resolution.Failed _ -> new Checked.Unknown("name look-up failed");
          };
    };
  }

  /** What only the group allowed is asked of nobody once it is not in the group any more. */
  private Resolution lookUp(Destination destination, DomainName name) throws InterruptedException {
    return decider.decideOutside(destination).denied()
        ? new Resolution.Missing()
        : resolver.resolve(name);
  }

  private Checked check(Destination destination, Resolution.Found found) {
    var good = new ArrayList<InetAddress>();
    Optional<Verdict> objection = Optional.empty();
    for (InetAddress address : found.addresses()) {
      Optional<Verdict> against = decider.objection(destination, address, found.aliases());
      if (against.isEmpty()) {
        good.add(address);
      } else {
        objection = against;
      }
    }
    return good.isEmpty()
        ? objection
            .<Checked>map(Checked.Forbidden::new)
            .orElseGet(() -> new Checked.Unknown("name without an address"))
        : new Checked.Addresses(good);
  }

  /**
   * Connects to the first checked address that answers. The channel belongs to the connection from
   * its first moment, so that a cut meets it wherever it is.
   */
  public SocketChannel dial(Destination destination, Connection connection)
      throws DialFailedException, InterruptedException {
    return switch (check(destination)) {
      case Checked.Addresses(var addresses) -> dial(addresses, destination.port(), connection);
      case Checked.Forbidden(var verdict) -> throw new DialFailedException(verdict);
      case Checked.Unknown(String why) -> throw unreachable(why);
    };
  }

  /** Connects to another sandbox, on the loopback that its own programs have. */
  public SocketChannel enter(Member member, int port, Connection connection)
      throws DialFailedException {
    if (!member.visits().tryAcquire()) {
      throw new DialFailedException(new Verdict(Outcome.DENIED, "limit connections to a member"));
    }
    connection.whenClosed(member.visits()::release);
    for (var loopback : InsideAddresses.LOOPBACK.entrySet()) {
      var address = new InetSocketAddress(loopback.getValue(), port);
      Optional<SocketChannel> channel =
          connect(
              () -> member.entrance().open(loopback.getKey()),
              address,
              (int) patience.toMillis(),
              connection);
      if (channel.isPresent()) {
        connection.entered(member);
        return channel.get();
      }
    }
    throw unreachable("nothing listens there");
  }

  private SocketChannel dial(List<InetAddress> addresses, int port, Connection connection)
      throws DialFailedException {
    List<InetAddress> tried = addresses.subList(0, Math.min(MAX_TRIES, addresses.size()));
    long deadline = System.nanoTime() + patience.toNanos();
    for (int i = 0; i < tried.size(); i++) {
      long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
      int share = (int) Math.max(1, left / (tried.size() - i));
      var address = new InetSocketAddress(tried.get(i), port);
      Optional<SocketChannel> channel = connect(SocketChannel::open, address, share, connection);
      if (channel.isPresent()) {
        connection.dialled(address);
        return channel.get();
      }
    }
    throw unreachable("connection failed");
  }

  /** Makes a socket, here or in a sandbox. */
  private interface Opening {
    SocketChannel open() throws IOException;
  }

  private static Optional<SocketChannel> connect(
      Opening opening, InetSocketAddress address, int patienceMillis, Connection connection) {
    SocketChannel channel = null;
    try {
      channel = opening.open();
      connection.own(channel);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.socket().connect(address, patienceMillis);
      return Optional.of(channel);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        connection.disown(channel);
      }
      return Optional.empty();
    }
  }

  private static DialFailedException unreachable(String why) {
    return new DialFailedException(new Verdict(Outcome.ALLOWED, why));
  }
}
