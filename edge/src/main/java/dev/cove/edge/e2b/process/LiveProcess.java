package dev.cove.edge.e2b.process;

import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.edge.exec.OutputReader;
import dev.cove.edge.exec.RunningCommand;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import dev.cove.guest.CommandSpec.TerminalSize;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command, its one reader, and everybody who wants to hear of it. */
final class LiveProcess {
  private static final Logger LOG = LoggerFactory.getLogger(LiveProcess.class);

  private final Command command;
  private final Description description;
  private final RunningCommand running;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<CommandExit> end = new CompletableFuture<>();
  private final ReentrantLock input = new ReentrantLock();
  private volatile boolean inputClosed;
  private volatile long endedAt;

  /**
   * What is known of a command beside what the agent knows.
   *
   * @param reads whether it has an input that can be written to
   */
  record Description(
      Optional<String> tag,
      String cmd,
      List<String> args,
      Map<String, String> envs,
      Optional<String> cwd,
      boolean reads,
      boolean terminal) {}

  /** Takes what a command puts out; while it takes its time, the command is held back. */
  interface Listener {
    /** When it fails, nothing more is told. */
    void hear(Object event) throws IOException;
  }

  LiveProcess(Command command, Description description) {
    this.command = command;
    this.description = description;
    this.running =
        new RunningCommand(
            command, teller(description.terminal() ? "pty" : "stdout"), teller("stderr"));
  }

  /** From here on it is read, whether somebody listens or not. */
  void begin(Runnable whenEnded) {
    running.start();
    Thread.ofVirtual().name("e2b-process").start(() -> await(whenEnded));
  }

  private void await(Runnable whenEnded) {
    try {
      CommandExit exit = running.await();
      running.awaitOutput();
      endedAt = System.nanoTime();
      end.complete(exit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end.completeExceptionally(e);
    } catch (IOException | RuntimeException e) {
      end.completeExceptionally(e);
    } finally {
      command.close();
      whenEnded.run();
    }
  }

  private OutputReader.Sink teller(String stream) {
    return (bytes, length) -> {
      if (!listeners.isEmpty()) {
        Object event =
            Map.of("event", Map.of("data", Map.of(stream, Arrays.copyOf(bytes, length))));
        listeners.forEach(listener -> tell(listener, event));
      }
    };
  }

  private void tell(Listener listener, Object event) {
    try {
      listener.hear(event);
    } catch (IOException e) {
      LOG.debug("Somebody listens to a command no more", e);
      listeners.remove(listener);
    }
  }

  void add(Listener listener) {
    listeners.add(listener);
  }

  void remove(Listener listener) {
    listeners.remove(listener);
  }

  /** How it ended, when all of its output has been told. */
  CompletableFuture<CommandExit> end() {
    return end;
  }

  boolean hasEnded() {
    return end.isDone();
  }

  /** When it ended, by System.nanoTime. */
  long endedAt() {
    return endedAt;
  }

  long processId() {
    return command.processId();
  }

  int pid() {
    return command.pid();
  }

  Description description() {
    return description;
  }

  void write(byte[] bytes) throws IOException {
    if (!description.reads()) {
      throw new RpcRefusal(RpcCode.INTERNAL, "stdin not enabled or closed");
    }
    input.lock();
    try {
      if (inputClosed) {
        throw new RpcRefusal(RpcCode.INTERNAL, "stdin not enabled or closed");
      }
      OutputStream stdin = command.stdin();
      stdin.write(bytes);
      stdin.flush();
    } finally {
      input.unlock();
    }
  }

  void closeInput() throws IOException {
    if (description.terminal()) {
      throw new RpcRefusal(
          RpcCode.FAILED_PRECONDITION, "A terminal's input has no end; send it Ctrl-D instead");
    }
    input.lock();
    try {
      if (description.reads() && !inputClosed) {
        inputClosed = true;
        command.stdin().close();
      }
    } finally {
      input.unlock();
    }
  }

  void resize(TerminalSize size) {
    if (!description.terminal()) {
      throw new RpcRefusal(RpcCode.FAILED_PRECONDITION, "The process has no terminal");
    }
    command.resize(size);
  }
}
