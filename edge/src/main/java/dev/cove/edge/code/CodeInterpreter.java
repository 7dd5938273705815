package dev.cove.edge.code;

import dev.cove.control.build.Recipes;
import dev.cove.control.interpreter.Interpreter;
import dev.cove.control.port.PortAddress;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.port.InsideReply;
import dev.cove.edge.port.LateServers;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import dev.cove.guest.TcpStream;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The interpreter of a sandbox, as whoever wants something of it asks. */
public final class CodeInterpreter implements LateServers {
  /** From its start until it listens; a tenth of a second when the machine has time. */
  private static final Duration START = Duration.ofSeconds(30);

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

  private final SandboxLifecycle lifecycle;

  public CodeInterpreter(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  /**
   * @param body JSON; empty for none
   * @throws CoveException CONFLICT when the sandbox has no interpreter
   */
  public InsideReply ask(Sandbox sandbox, String method, String path, byte[] body) {
    TcpStream stream = connect(sandbox);
    try {
      return InsideReply.ask(stream, method, path, body);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  static CoveException broken(IOException cause) {
    return new CoveException(
        ErrorCode.UNAVAILABLE,
        "The code interpreter of this sandbox broke off; it is started anew when it is asked"
            + " again.",
        cause);
  }

  private TcpStream connect(Sandbox sandbox) {
    Optional<TcpStream> open = tryConnect(sandbox);
    if (open.isPresent()) {
      return open.get();
    }
    return startAndConnect(sandbox)
        .orElseThrow(() ->
            new CoveException(
                ErrorCode.CONFLICT,
                "This sandbox has no code interpreter; begin with the template %s, or one made from it."
                    .formatted(Recipes.CODE)));
  }

  @Override
  public Optional<TcpStream> start(PortAddress address) {
    return address.port() == Interpreter.PORT
        ? startAndConnect(lifecycle.require(address.sandbox().value()))
        : Optional.empty();
  }

  /**
   * It may have been ended by what ran in the sandbox, or the template may have come from one that
   * had it. One that has been started and does not listen yet is waited for.
   */
  private Optional<TcpStream> startAndConnect(Sandbox sandbox) {
    Guest guest = lifecycle.guest(sandbox.id().value());
    if (!isInstalled(guest)) {
      return Optional.empty();
    }
    if (!isStarting(guest)) {
      start(guest, sandbox);
    }
    long deadline = System.nanoTime() + START.toNanos();
    while (System.nanoTime() < deadline) {
      Optional<TcpStream> now = tryConnect(sandbox);
      if (now.isPresent()) {
        return now;
      }
      pause();
    }
    throw new CoveException(
        ErrorCode.UNAVAILABLE,
        "The code interpreter of this sandbox was not there after %d s."
            .formatted(START.toSeconds()));
  }

  private Optional<TcpStream> tryConnect(Sandbox sandbox) {
    try {
      return Optional.of(lifecycle.connect(sandbox.id().value(), Interpreter.PORT));
    } catch (CoveException e) {
      if (e.code() == ErrorCode.GUEST_REFUSED) {
        return Optional.empty(); // nothing listens there
      }
      throw e;
    }
  }

  private void start(Guest guest, Sandbox sandbox) {
    var spec =
        new CommandSpec(
            Interpreter.COMMAND,
            lifecycle.environment(sandbox),
            sandbox.spec().template().cwd(),
            sandbox.spec().template().user(),
            false,
            Optional.empty(),
            Duration.ZERO,
            true);
    guest.start(spec).close(); // it runs on
  }

  private static boolean isStarting(Guest guest) {
    return guest.processes().stream()
        .anyMatch(one -> one.exit().isEmpty() && one.argv().equals(Interpreter.COMMAND));
  }

  private static boolean isInstalled(Guest guest) {
    try {
      guest.files("root").stat(Interpreter.FOLDER + "/__main__.py", true);
      return true;
    } catch (GuestException _) {
      return false;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(BETWEEN_LOOKS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }
}
