package dev.cove.bench.measure;

import dev.cove.bench.peer.ContainerEngine;
import dev.cove.bench.peer.Peer;
import dev.cove.bench.peer.PeerStatus;
import dev.cove.bench.peer.Peers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Owner of all that a run brings into the world: the scratch folder, the peers, the servers.
 * Closing it, which may happen from another thread when the user presses Ctrl-C, removes everything
 * and lets nothing new begin.
 */
public final class Workbench implements Closeable {
  private final Path launcher;
  private final Effort effort;
  private final Progress progress;
  private final Scratch scratch;
  private final Peers peers;
  private final List<BenchServer> servers = new ArrayList<>();
  private int started;
  private boolean closed;

  private Workbench(Path launcher, Effort effort, Progress progress, Scratch scratch, Peers peers) {
    this.launcher = launcher;
    this.effort = effort;
    this.progress = progress;
    this.scratch = scratch;
    this.peers = peers;
  }

  public static Workbench open(Path launcher, Effort effort, Progress progress)
      throws IOException, InterruptedException {
    var scratch = new Scratch();
    try {
      // Administrators' programs, runc among them, are not on every user's path.
      String searchPath =
          System.getenv().getOrDefault("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin";
      Peers peers = Peers.prepare(searchPath, scratch.subfolder("peers"));
      return new Workbench(launcher, effort, progress, scratch, peers);
    } catch (IOException | InterruptedException | RuntimeException failure) {
      scratch.close();
      throw failure;
    }
  }

  public List<PeerStatus> peerStatuses() {
    return peers.statuses();
  }

  List<Peer> peers() {
    return peers.ready();
  }

  Optional<ContainerEngine> containerEngine(String name) {
    return peers.ready().stream()
        .filter(peer -> peer.name().equals(name))
        .filter(ContainerEngine.class::isInstance)
        .map(ContainerEngine.class::cast)
        .findFirst();
  }

  /** A new folder for a measurement's own files. */
  Path folder(String name) throws IOException {
    return scratch.subfolder(name);
  }

  Effort effort() {
    return effort;
  }

  Path launcher() {
    return launcher;
  }

  void say(String what) {
    progress.say(what);
  }

  /** Starts a server on a home and a port of its own and waits until it is healthy. */
  BenchServer startServer(Map<String, String> settings) throws IOException, InterruptedException {
    BenchServer server;
    synchronized (this) {
      if (closed) {
        throw new IOException("The bench is being taken down.");
      }
      server = BenchServer.launch(launcher, scratch.subfolder("home-" + ++started), settings);
      servers.add(server);
    }
    server.awaitHealthy();
    return server;
  }

  /** Ends a server as a crash would, and starts its successor on the same home. */
  BenchServer killAndStart(BenchServer before) throws IOException, InterruptedException {
    BenchServer server;
    synchronized (this) {
      if (closed) {
        throw new IOException("The bench is being taken down.");
      }
      before.kill();
      servers.remove(before);
      server = before.relaunch();
      servers.add(server);
    }
    server.awaitHealthy();
    return server;
  }

  public synchronized boolean isOpen() {
    return !closed;
  }

  /** Removes everything; what fails does not keep the rest, and the first failure is thrown. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    var owned = new ArrayList<Closeable>(servers);
    owned.add(peers);
    owned.add(scratch);
    var failures = new ArrayList<IOException>();
    for (Closeable each : owned) {
      try {
        each.close();
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }
}
