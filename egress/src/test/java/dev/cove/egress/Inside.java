package dev.cove.egress;

import static java.util.Objects.requireNonNull;

import dev.cove.egress.intercept.HttpInterception;
import dev.cove.egress.name.Resolver;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.Question;
import dev.cove.testing.world.WorldNames;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * A gateway with one sandbox, seen from inside it. There is no network namespace: where a
 * connection wants to go is told to the gateway by the port that it comes from.
 */
final class Inside implements AutoCloseable, NetworkOwner {
  /** Stands for the world: loopback addresses that only the operator's setting opens. */
  static final AddressRange WORLD = AddressRange.of("127.77.0.0/16");

  final WorldNames world = new WorldNames();
  final SandboxId id = SandboxId.random();
  final List<NetworkRule> kept = new CopyOnWriteArrayList<>();
  final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  private final InstantSource clock = now::get;
  final SandboxNetwork network;
  final Gateway gateway;
  private final Map<Integer, InetSocketAddress> destinations = new ConcurrentHashMap<>();
  private final NetworkSockets sockets;
  private final InetSocketAddress listener;
  private final InetSocketAddress names;

  static Inside with(Path folder, NetworkPolicy policy) throws IOException {
    return new Inside(
        folder, policy, NetworkPolicy.EVERYTHING, GatewayLimits.USUAL, HttpInterception.NONE);
  }

  Inside(
      Path folder,
      NetworkPolicy policy,
      NetworkPolicy floor,
      GatewayLimits limits,
      HttpInterception interception)
      throws IOException {
    this(folder, policy, floor, limits, interception, Set.of());
  }

  Inside(
      Path folder,
      NetworkPolicy policy,
      NetworkPolicy floor,
      GatewayLimits limits,
      HttpInterception interception,
      Set<Integer> ownPorts)
      throws IOException {
    var settings =
        new GatewaySettings(
            folder,
            floor,
            List.of(WORLD),
            List.of(),
            ownPorts,
            Resolver.at(world.address()),
            limits);
    gateway =
        new Gateway(settings, this, interception, clock.withZone(ZoneOffset.UTC), this::askedBy);
    var local = Inside.at("127.0.0.1", 0);
    sockets =
        new NetworkSockets(
            ServerSocketChannel.open().bind(local, 4_096), DatagramChannel.open().bind(local));
    listener = (InetSocketAddress) sockets.connections().getLocalAddress();
    names = (InetSocketAddress) sockets.names().getLocalAddress();
    network = gateway.attach(id, sockets, ProjectName.DEFAULT, policy);
  }

  static NetworkPolicy allowing(String... rules) {
    return policy(Fallback.DENY, List.of(rules), List.of());
  }

  static NetworkPolicy policy(Fallback fallback, List<String> allow, List<String> deny) {
    return new NetworkPolicy(
        fallback,
        Set.of(),
        allow.stream().map(NetworkRule::of).toList(),
        deny.stream().map(NetworkRule::of).toList());
  }

  static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  private InetSocketAddress askedBy(SocketChannel accepted) throws IOException {
    int from = ((InetSocketAddress) accepted.getRemoteAddress()).getPort();
    return requireNonNull(destinations.get(from));
  }

  /** The address that a program would get for a name. */
  InetAddress resolve(String name) throws IOException {
    Message answer = ask(name, Type.A);
    return answer.getSection(Section.ANSWER).stream()
        .map(record -> ((ARecord) record).getAddress())
        .findFirst()
        .orElseThrow(() -> new IOException("No address: " + answer.getRcode()));
  }

  Message ask(String name, int type) throws IOException {
    return ask(
        Message.newQuery(Record.newRecord(Name.fromString(name + "."), type, DClass.IN)).toWire());
  }

  Message ask(byte[] query) throws IOException {
    try (var socket = new DatagramSocket()) {
      socket.setSoTimeout(6_000);
      socket.send(new DatagramPacket(query, query.length, names));
      var packet = new DatagramPacket(new byte[4096], 4096);
      socket.receive(packet);
      return new Message(Arrays.copyOf(packet.getData(), packet.getLength()));
    }
  }

  Socket connect(String name, int port) throws IOException {
    return connect(new InetSocketAddress(resolve(name), port));
  }

  Socket connect(InetSocketAddress destination) throws IOException {
    var socket = new Socket();
    socket.bind(Inside.at("127.0.0.1", 0));
    destinations.put(socket.getLocalPort(), destination);
    socket.setSoTimeout(15_000);
    socket.setTcpNoDelay(true);
    socket.connect(listener);
    return socket;
  }

  Socket proxy() throws IOException {
    return connect(new InetSocketAddress(InsideAddresses.GATEWAY, InsideAddresses.PROXY_PORT));
  }

  Socket nameStream() throws IOException {
    return connect(new InetSocketAddress(InsideAddresses.GATEWAY, InsideAddresses.DNS_PORT));
  }

  @Override
  public void asked(SandboxId sandbox, Question question) {}

  @Override
  public void always(SandboxId sandbox, NetworkRule rule) {
    kept.add(rule);
  }

  @Override
  public void close() {
    gateway.close();
    world.close();
  }
}
