package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.SandboxId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spawner that is always there: when its process dies, another takes over the watch of all cages,
 * which the death does not touch.
 */
final class Spawner implements AutoCloseable {
  /** The exit status of a process that was not a child of the spawner. */
  static final int STATUS_UNKNOWN = -1;

  private static final Logger LOG = LoggerFactory.getLogger(Spawner.class);

  private final ProcessBuilder command;
  private final Map<ProcessKey, CompletableFuture<Integer>> exits = new ConcurrentHashMap<>();
  private final Object lock = new Object();

  /** Memory of machines, with the spawner that has it. */
  private final Map<String, Long> memories = new HashMap<>();

  private @Nullable SpawnerProcess current;
  private SpawnerRequest.@Nullable KeepSpares spares;
  private boolean closed;

  Spawner(ProcessBuilder command) {
    this.command = command;
  }

  boolean favorsMoves() {
    return (process().facts() & SpawnerProcess.FACT_FAVOR_MOVES) != 0;
  }

  boolean hasLoopDevices() {
    return (process().facts() & SpawnerProcess.FACT_LOOP_DEVICES) != 0;
  }

  long pid() {
    return process().pid();
  }

  /**
   * What came of a start.
   *
   * @param exit completes with the agent's exit code, or 128 + signal
   */
  record Started(ProcessKey process, int loopDevice, CompletableFuture<Integer> exit) {}

  Started start(SpawnerRequest.Start request) {
    long[] values = process().call(request);
    var key = new ProcessKey((int) values[0], values[1]);
    return new Started(key, (int) values[2], exitOf(key));
  }

  /** A spawner that has not read the memory, or another one than has, reads it first. */
  Started start(SpawnerRequest.StartMachine request) {
    long[] values = startWithMemory(request);
    var key = new ProcessKey((int) values[0], values[1]);
    return new Started(key, -1, exitOf(key));
  }

  private long[] startWithMemory(SpawnerRequest.StartMachine request) {
    SpawnerProcess process = process();
    String memory = request.launch().memory();
    synchronized (memories) {
      if (memories.getOrDefault(memory, 0L) != process.pid()) {
        process.call(new SpawnerRequest.LoadMemory(memory, request.launch().memoryFile()));
        memories.put(memory, process.pid());
      }
    }
    return process.call(request);
  }

  /** Nobody goes on with that memory any more. */
  void forgetMemory(String name) {
    synchronized (memories) {
      if (memories.remove(name) != null) {
        process().call(new SpawnerRequest.ForgetMemory(name));
      }
    }
  }

  /** Waits for a process that was killed. */
  static void awaitExit(SandboxId id, CompletableFuture<Integer> exit, Duration patience) {
    try {
      exit.get(patience.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("Interrupted while sandbox %s ended".formatted(id), e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("An exit never fails", e);
    } catch (TimeoutException e) {
      throw new EngineException(
          "Sandbox %s did not end %d s after SIGKILL".formatted(id, patience.toSeconds()), e);
    }
  }

  /**
   * Watches a process that an earlier spawner started. The exit is complete at once when there is
   * no such process.
   */
  CompletableFuture<Integer> watch(ProcessKey process) {
    var exit = exitOf(process);
    try {
      process().call(new SpawnerRequest.Watch(process));
    } catch (SpawnerRefusedException e) {
      exited(process, STATUS_UNKNOWN);
    }
    return exit;
  }

  /** Asks for anything that needs no further care here. */
  long[] call(SpawnerRequest request) {
    return process().call(request);
  }

  void kill(SpawnerRequest.Kill request) {
    process().call(request);
  }

  /** Nobody will ask for this process again. */
  void forget(ProcessKey process) {
    exits.remove(process);
  }

  long[] measure(SpawnerRequest.Measure request) {
    return process().call(request);
  }

  void keepSpares(SpawnerRequest.KeepSpares request) {
    synchronized (lock) {
      spares = request;
    }
    process().call(request);
  }

  /** The news of an exit may come before anybody asks for it, so either side makes the entry. */
  private CompletableFuture<Integer> exitOf(ProcessKey process) {
    return exits.computeIfAbsent(process, _ -> new CompletableFuture<>());
  }

  private void exited(ProcessKey process, int status) {
    exitOf(process).complete(status);
  }

  private SpawnerProcess process() {
    synchronized (lock) {
      if (closed) {
        throw new EngineException("The engine is closed");
      }
      if (current == null) {
        current = SpawnerProcess.start(command, new Link());
      }
      return current;
    }
  }

  private final class Link implements SpawnerProcess.Listener {
    @Override
    public void exited(ProcessKey process, int status) {
      Spawner.this.exited(process, status);
    }

    @Override
    public void ended(boolean everWorked) {
      synchronized (lock) {
        current = null;
        if (closed || !everWorked) {
          return;
        }
      }
      LOG.warn("The spawner ended unexpectedly; a new one takes over");
      Thread.ofVirtual().name("cove-spawner-renewal").start(Spawner.this::watchAgain);
    }
  }

  private void watchAgain() {
    SpawnerRequest.KeepSpares wanted;
    synchronized (lock) {
      wanted = spares;
    }
    try {
      if (wanted != null) {
        process().call(wanted);
      }
      for (var entry : exits.entrySet()) {
        if (!entry.getValue().isDone()) {
          var _ = watch(entry.getKey());
        }
      }
    } catch (EngineException e) {
      LOG.error("No new spawner: the end of running sandboxes will go unnoticed", e);
    }
  }

  @Override
  public void close() {
    SpawnerProcess last;
    synchronized (lock) {
      closed = true;
      last = current;
    }
    if (last != null) {
      last.close();
    }
  }
}
