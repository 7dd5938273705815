package dev.cove.control.sandbox;

import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.guest.Command;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Starts the service that a template brings along, and waits until it can be used. */
public final class ServiceStart {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration ONE_CHECK = Duration.ofSeconds(10);
  private static final Duration BETWEEN_CHECKS = Duration.ofMillis(50);

  private final Guest guest;
  private final SandboxSpec spec;
  private final Map<String, String> environment;

  public ServiceStart(Guest guest, SandboxSpec spec, Map<String, String> environment) {
    this.guest = guest;
    this.spec = spec;
    this.environment = environment;
  }

  /**
   * @throws CoveException GUEST_REFUSED when it ends or is not ready in time
   */
  public void start(Service service) {
    try (Command running = guest.start(command(service.command(), Duration.ZERO, true))) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!service.ready().isEmpty() && !succeeds(service.ready())) {
        if (running.exit().isDone()) {
          throw new CoveException(
              ErrorCode.GUEST_REFUSED,
              "The template's start command ended before its service was ready.");
        }
        if (System.nanoTime() > deadline) {
          throw new CoveException(
              ErrorCode.GUEST_REFUSED,
              "The template's service was not ready after %d s.".formatted(PATIENCE.toSeconds()));
        }
        pause();
      }
    }
  }

  private boolean succeeds(List<String> check) {
    try (Command command = guest.start(command(check, ONE_CHECK, false))) {
      CompletableFuture<Void> errors =
          CompletableFuture.runAsync(() -> drain(command.stderr()), Thread::startVirtualThread);
      drain(command.stdout());
      errors.join();
      return command.exit().join().code() == 0;
    }
  }

  private static void drain(InputStream in) {
    try (in) {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CommandSpec command(List<String> argv, Duration timeout, boolean keep) {
    return new CommandSpec(
        argv,
        environment,
        spec.template().cwd(),
        spec.template().user(),
        false,
        Optional.empty(),
        timeout,
        keep);
  }

  private static void pause() {
    try {
      Thread.sleep(BETWEEN_CHECKS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }
}
