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

  /**
   * A command that has ended may leave a child behind that holds its output open. Nobody waits for
   * that child: when nothing has come for this long, the output is what it is.
   */
  private static final Duration QUIET = Duration.ofMillis(250);

  private final Command command;
  private final OutputReader stdout;
  private final OutputReader stderr;
  private final CompletableFuture<Void> output;
  private final CompletableFuture<Void> trouble = new CompletableFuture<>();

  RunningCommand(Command command, OutputReader.Sink stdout, OutputReader.Sink stderr) {
    this.command = command;
    this.stdout = new OutputReader(command.stdout(), stdout);
    this.stderr = new OutputReader(command.stderr(), stderr);
    this.output = CompletableFuture.allOf(this.stdout.done(), this.stderr.done());
  }

  void start() {
    watch(stdout);
    watch(stderr);
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
  void clientGone() {
    trouble.completeExceptionally(new ClientGoneException());
  }

  /** How it ended, or empty when it still runs after that time. */
  Optional<CommandExit> await(Duration patience) throws IOException, InterruptedException {
    try {
      CompletableFuture.anyOf(command.exit(), trouble)
          .get(patience.toNanos(), TimeUnit.NANOSECONDS);
      return Optional.of(command.exit().join());
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    }
  }

  /** Waits for what is still on its way from a command that has ended. */
  void awaitOutput() throws IOException, InterruptedException {
    long exitedAt = System.nanoTime();
    while (true) {
      long now = System.nanoTime();
      long activeAt = Math.max(exitedAt, Math.max(activeAt(stdout), activeAt(stderr)));
      long left = QUIET.toNanos() - (now - activeAt);
      if (left <= 0) {
        return;
      }
      try {
        output.get(left, TimeUnit.NANOSECONDS);
        return;
      } catch (TimeoutException e) {
        LOG.trace("Output still comes, or is held open", e);
      } catch (ExecutionException e) {
        throw rethrow(e.getCause());
      }
    }
  }

  private static long activeAt(OutputReader reader) {
    return reader.done().isDone() ? Long.MIN_VALUE : reader.activeAt();
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
