package dev.cove.edge.exec;

import dev.cove.edge.http.ClientGoneException;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command whose output is being read; the threads that do so end with it. */
public final class RunningCommand {
  private static final Logger LOG = LoggerFactory.getLogger(RunningCommand.class);

  private final Command command;
  private final OutputReader stdout;
  private final OutputReader stderr;
  private final CompletableFuture<CommandExit> exit;
  private final CompletableFuture<Void> output;
  private final CompletableFuture<Void> trouble = new CompletableFuture<>();
  private final CompletableFuture<Object> ended;

  public RunningCommand(Command command, OutputReader.Sink stdout, OutputReader.Sink stderr) {
    this.command = command;
    this.exit = command.exit();
    this.ended = CompletableFuture.anyOf(exit, trouble);
    this.stdout = new OutputReader(command.stdout(), stdout);
    this.stderr = new OutputReader(command.stderr(), stderr);
    this.output = CompletableFuture.allOf(this.stdout.done(), this.stderr.done());
  }

  public void start() {
    watch(stdout);
    watch(stderr);
  }

  /**
   * Reads the output of a command that has ended on this thread, which saves starting two. Only for
   * one that has ended: before, whichever stream is not being read could hold it back.
   */
  void readAfterExit() throws IOException, InterruptedException {
    stdout.run();
    stderr.run();
    awaitOutput();
  }

  private void watch(OutputReader reader) {
    var _ =
        reader
            .done()
            .whenComplete((_, failure) -> {
              if (failure != null) {
                trouble.completeExceptionally(failure);
              }
            });
    reader.start();
  }

  void feed(byte[] input) {
    Thread.ofVirtual()
        .name("command-input")
        .start(() -> {
          try (OutputStream stdin = command.stdin()) {
            stdin.write(input);
          } catch (IOException e) {
            LOG.debug("A command did not read all of its input", e);
          }
        });
  }

  /** Nobody waits any more. */
  public void clientGone() {
    fail(new ClientGoneException());
  }

  /** Whoever waits for it gets this instead. */
  public void fail(Exception cause) {
    trouble.completeExceptionally(cause);
  }

  /** How it ended. */
  public CommandExit await() throws IOException, InterruptedException {
    try {
      ended.get();
      return exit.join();
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    }
  }

  /** How it ended, or empty when it still runs after that time. */
  Optional<CommandExit> await(Duration patience) throws IOException, InterruptedException {
    try {
      ended.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      return Optional.of(exit.join());
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    }
  }

  /** Waits for what is still on its way from a command that has ended. */
  public void awaitOutput() throws IOException, InterruptedException {
    try {
      CompletableFuture.anyOf(output, trouble).get();
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    }
  }

  private static IOException rethrow(@Nullable Throwable cause)
      throws IOException, InterruptedException {
    switch (cause) {
      case CompletionException wrapper -> throw rethrow(wrapper.getCause());
      case IOException gone -> throw gone;
      case RuntimeException failure -> throw failure;
      case InterruptedException interrupted -> throw interrupted;
      case null, default -> throw new IllegalStateException("A command failed oddly", cause);
    }
  }
}
