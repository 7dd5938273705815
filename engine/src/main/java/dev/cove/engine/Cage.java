package dev.cove.engine;

import dev.cove.engine.network.NetworkNamespace;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One built sandbox, as the engine sees it. */
public interface Cage {
  SandboxId id();

  /** A new connection to the agent. The agent drops the connection that it had before. */
  ByteChannel connect() throws IOException;

  /** Where what its programs send ends up. */
  NetworkNamespace network();

  /** Changes the limits of a running cage; {@code diskMb} must stay what it was. */
  void limit(Resources resources);

  /** Freezes every process. Returns when all of them stand still. */
  void pause();

  void resume();

  /** Asks every process but the agent to end, with SIGTERM. */
  void terminate();

  CageUsage usage();

  /** The figure of the same name in {@link #usage}, alone and cheap. */
  long oomKills();

  /** The same of processor time. */
  Duration cpu();

  /** What it has used so far; empty when it has ended, and the engine's listener has heard. */
  Optional<CageCount> count();

  /**
   * Makes a layer of what the sandbox has written, at one moment at which every process stands
   * still. When it throws, there is no layer to build on, and the sandbox runs on with its files as
   * they were.
   *
   * @param agentIdle whether nobody uses the agent just now, so that its root may be changed
   */
  Sealing seal(LayerId layer, boolean agentIdle);

  /**
   * Puts a sandbox in which nothing runs, and whose agent nobody uses, on another root, as if it
   * had been built there: what it has written is gone. Much quicker than building it.
   *
   * @return false where it cannot be done, or was not done to its end: then the cage must be
   *     destroyed
   * @throws EngineException when the root cannot be used; then nothing has changed
   */
  boolean change(RootFs root);

  /** Whether no process runs but the agent, as far as the host can see. */
  boolean alone();

  /** Whether the host cannot see which processes run inside: only the agent can be asked. */
  boolean hidesProcesses();

  /** What the sandbox stands on now. */
  RootFs root();

  /** Completes when the agent is gone, and with it every process of the sandbox. */
  CompletableFuture<CageExit> exit();

  /**
   * Ends every process and keeps what the sandbox has written, on the disk: {@link Engine#restart}
   * goes on with it. May be called twice, and does nothing after {@link #destroy}.
   */
  void halt();

  /** Ends every process and removes all that {@link Engine#start} made. May be called twice. */
  void destroy();
}
