package dev.cove.engine.network;

import static dev.cove.model.network.InsideAddresses.DNS_PORT;
import static dev.cove.model.network.InsideAddresses.GATEWAY;
import static dev.cove.model.network.InsideAddresses.LISTENER_PORT;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/** The network namespace of a cage. */
public final class NetworkNamespace {
  private static final Path OURS = Path.of("/proc/self/ns/net");
  private static final int BACKLOG = 1_024;

  private final Path file;
  private final BooleanSupplier stillThere;

  /**
   * @param file that stands for it, such as {@code /proc/17/ns/net}
   * @param stillThere whether that file belongs to the cage and not to somebody after it
   */
  public NetworkNamespace(Path file, BooleanSupplier stillThere) {
    this.file = file;
    this.stillThere = stillThere;
  }

  /** Why this host or this process cannot hold sockets inside, if it cannot. */
  public static Optional<String> obstacle() {
    try (var listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Redirection.rehearse(Descriptors.of(listener));
      return Optional.empty();
    } catch (IOException | EngineException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Opens sockets inside. A socket stays in the namespace in which it was opened, so a thread goes
   * in, opens them and ends; it never comes back and starts no other.
   *
   * @throws EngineException when the cage has gone, or when somebody inside has taken their place
   */
  public InsideSockets open() {
    return inside(NetworkNamespace::openInside);
  }

  /**
   * A socket inside, for a connection to a loopback address there. It comes from Cove's own address
   * where it can: a server that trusts whoever is on its own machine does not trust this one.
   *
   * @throws EngineException when the cage has gone
   */
  public SocketChannel visitor(StandardProtocolFamily family) {
    return inside(_ -> {
      SocketChannel socket = SocketChannel.open(family);
      boolean ready = false;
      try {
        if (family == StandardProtocolFamily.INET) {
          socket.bind(new InetSocketAddress(GATEWAY, 0));
        }
        ready = true;
        return socket;
      } finally {
        if (!ready) {
          socket.close();
        }
      }
    });
  }

  /**
   * A socket inside, for a connection to a loopback address there, as if one of the cage's own
   * programs had opened it.
   *
   * @throws EngineException when the cage has gone
   */
  public SocketChannel socket(StandardProtocolFamily family) {
    return inside(_ -> SocketChannel.open(family));
  }

  /** Opens something in the namespace in which the calling thread is. */
  private interface Opening<T extends AutoCloseable> {
    T open(int namespace) throws IOException;
  }

  private <T extends AutoCloseable> T inside(Opening<T> opening) {
    var opened = new CompletableFuture<T>();
    Warmth.NEEDED.run();
    Thread.ofPlatform()
        .name("cove-enter-network")
        .start(() -> {
          try {
            opened.complete(openHere(opening));
          } catch (IOException | RuntimeException e) {
            opened.completeExceptionally(e);
          }
        });
    try {
      return opened.get();
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new EngineException(
          "The network of a sandbox could not be entered: " + cause.getMessage(), cause);
    } catch (InterruptedException e) {
      CompletableFuture<Void> _ = opened.thenAccept(NetworkNamespace::discard);
      Thread.currentThread().interrupt();
      throw new EngineException("Interrupted while a sandbox's network was entered", e);
    }
  }

  private static void discard(AutoCloseable sockets) {
    try {
      sockets.close();
    } catch (Exception e) {
      throw new EngineException("Sockets that nobody wants could not be closed", e);
    }
  }

  private <T extends AutoCloseable> T openHere(Opening<T> opening) throws IOException {
    int namespace = KernelCalls.open(file);
    try {
      if (!stillThere.getAsBoolean()) {
        throw new IOException("it has gone");
      }
      if (Files.isSameFile(file, OURS)) {
        throw new IOException("it is the host's own");
      }
      KernelCalls.enterNetwork(namespace);
      return opening.open(namespace);
    } finally {
      KernelCalls.close(namespace);
    }
  }

  private static InsideSockets openInside(int namespace) throws IOException {
    ServerSocketChannel connections = ServerSocketChannel.open();
    DatagramChannel names = DatagramChannel.open(StandardProtocolFamily.INET);
    boolean ready = false;
    try {
      connections.bind(new InetSocketAddress(LISTENER_PORT), BACKLOG);
      names.bind(new InetSocketAddress(GATEWAY, DNS_PORT));
      var sockets =
          new InsideSockets(
              connections, names, Redirection.to(Descriptors.of(connections), namespace));
      ready = true;
      return sockets;
    } finally {
      if (!ready) {
        connections.close();
        names.close();
      }
    }
  }

  /** Whatever Java starts once for all sockets must be started outside. */
  private static final class Warmth {
    static final Runnable NEEDED = warm();

    private static Runnable warm() {
      try (var listener = ServerSocketChannel.open();
          var connection = SocketChannel.open(StandardProtocolFamily.INET);
          var datagrams = DatagramChannel.open(StandardProtocolFamily.INET)) {
        Descriptors.of(listener);
        datagrams.configureBlocking(false);
        connection.configureBlocking(false);
        return () -> {};
      } catch (IOException e) {
        throw new EngineException("This process cannot open sockets", e);
      }
    }
  }

  /** Java keeps the numbers of its sockets to itself, unless it is started to export them. */
  private static final class Descriptors {
    private static final Method NUMBER = number();

    private static Method number() {
      try {
        return Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
      } catch (ReflectiveOperationException e) {
        throw new EngineException("This Java has sockets of an unknown kind", e);
      }
    }

    static int of(ServerSocketChannel channel) {
      try {
        return (int) NUMBER.invoke(channel);
      } catch (IllegalAccessException e) {
        throw new EngineException(
            "Java must be started with --add-opens java.base/sun.nio.ch=ALL-UNNAMED", e);
      } catch (InvocationTargetException e) {
        throw new EngineException("A socket has no number", e);
      }
    }
  }
}
