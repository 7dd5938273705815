package dev.cove.engine;

import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/** One built sandbox, as the engine sees it. */
public interface Cage {
  SandboxId id();

  /** A new connection to the agent. The agent drops the connection that it had before. */
  SocketChannel connect() throws IOException;

  /** Changes the limits of a running cage; {@code diskMb} must stay what it was. */
  void limit(Resources resources);

  /** Freezes every process. Returns when all of them stand still. */
  void pause();

  void resume();

  CageUsage usage();

  /** The figure of the same name in {@link #usage}, alone and cheap. */
  long oomKills();

  /** Completes when the agent is gone, and with it every process of the sandbox. */
  CompletableFuture<CageExit> exit();

  /** Ends every process and removes all that {@link Engine#start} made. May be called twice. */
  void destroy();
}
