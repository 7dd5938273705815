package dev.cove.control.service;

import dev.cove.control.service.Service.Ready;
import dev.cove.guest.Command;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Starts a service, and waits until it can be used. */
public final class ServiceStart {
  private static final Duration ONE_CHECK = Duration.ofSeconds(10);
  private static final Duration BETWEEN_CHECKS = Duration.ofMillis(50);

  private final Guest guest;
  private final SandboxSpec spec;
  private final Map<String, String> environment;
  private final Service service;

  /**
   * @param environment of every command in the sandbox
   */
  public ServiceStart(
      Guest guest, SandboxSpec spec, Map<String, String> environment, Service service) {
    this.guest = guest;
    this.spec = spec;
    this.environment = environment;
    this.service = service;
  }

  /**
   * Starts it where nobody wants to hear what it says.
   *
   * @throws CoveException GUEST_REFUSED when it ends or is not ready in time
   */
  public void inSilence() {
    try (Command running = launch()) {
      awaitReady(() -> running.exit().isDone());
    }
  }

  /** It runs on when the caller lets go of it. */
  Command launch() {
    return guest.start(command(service.command(), Duration.ZERO, true));
  }

  /**
   * @param over whether it has ended for good
   * @throws CoveException GUEST_REFUSED when it ends or is not ready in time
   */
  void awaitReady(BooleanSupplier over) {
    Ready ready = service.ready();
    long deadline = System.nanoTime() + ready.patience().toNanos();
    while (!ready.atOnce() && !(ready.port() > 0 ? listens(ready.port()) : passes(ready))) {
      if (over.getAsBoolean()) {
        throw new CoveException(
            ErrorCode.GUEST_REFUSED, "%s ended before it was ready.".formatted(subject()));
      }
      if (System.nanoTime() > deadline) {
        throw new CoveException(
            ErrorCode.GUEST_REFUSED,
            "%s was not ready after %d ms.".formatted(subject(), ready.patience().toMillis()));
      }
      pause();
    }
  }

  private String subject() {
    return service.ofTemplate() ? "The template's start command" : "The service " + service.name();
  }

  private boolean listens(int port) {
    try {
      guest.connect(port).close();
      return true;
    } catch (GuestException _) {
      return false;
    }
  }

  private boolean passes(Ready ready) {
    try (Command command = guest.start(command(ready.command(), ONE_CHECK, false))) {
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
    var variables = new HashMap<>(environment);
    variables.putAll(service.env());
    return new CommandSpec(
        argv,
        variables,
        service.cwd().orElse(spec.template().cwd()),
        service.user().orElse(spec.template().user()),
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
