package dev.cove.bench.peer;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A program that can do something Cove does. Set up when it exists; closing removes all it made.
 */
public sealed interface Peer extends AutoCloseable permits Bubblewrap, ContainerEngine, OciRuntime {

  String name();

  /** What is run, in the words of a person at a terminal: {@code runc run}. */
  String runLabel();

  /** Builds a sandbox, prints one line in it by /bin/echo, and takes the sandbox down again. */
  List<String> runCommand();

  /**
   * Starts a sandbox that idles until this peer is closed.
   *
   * @return the command that runs {@code true} in it; absent for a peer that can't enter a sandbox
   */
  Optional<List<String>> startIdle() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
