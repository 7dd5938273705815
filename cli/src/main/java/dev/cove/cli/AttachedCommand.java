package dev.cove.cli;

import dev.cove.sdk.Command;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.ExitStatus;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A command inside, joined to this process: input, output, signals, terminal size and exit code.
 *
 * <p>The first Ctrl-C goes to the command; the second ends it. In a terminal Ctrl-C is a key like
 * any other and goes in as a byte.
 */
final class AttachedCommand {
  private static final Terminal.Size USUAL_SIZE = new Terminal.Size(24, 80);

  private final Session session;
  private final Stop stop;
  private volatile @Nullable RunningCommand running;
  private volatile boolean terminal;

  /** Counts the requests to stop. They may come before there is a command to stop. */
  static final class Stop {
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int exitCode;
    private volatile String signal = "";

    boolean requested() {
      return requests.get() > 0;
    }

    int exitCode() {
      return exitCode;
    }

    private int request(String name) {
      exitCode = ExitCode.SIGNAL + Signals.numberOf(name);
      signal = name;
      return requests.incrementAndGet();
    }
  }

  AttachedCommand(Session session, Stop stop) {
    this.session = session;
    this.stop = stop;
  }

  /** Listens for signals from now on; the caller closes the result when all is cleaned up. */
  Signals listen() {
    return new Signals()
        .on("INT", () -> stopRequested("INT"))
        .on("TERM", () -> stopRequested("TERM"))
        .on("HUP", () -> stopRequested("HUP"))
        .on("WINCH", this::resized);
  }

  private void stopRequested(String signal) {
    int count;
    RunningCommand command;
    synchronized (stop) {
      count = stop.request(signal);
      command = running;
    }
    if (command != null) {
      passOn(command, signal, count);
    }
  }

  /** From now on requests go to the command; one that came while it was started goes there now. */
  private void begin(RunningCommand started) {
    boolean missed;
    synchronized (stop) {
      running = started;
      missed = stop.requested();
    }
    if (missed) {
      passOn(started, stop.signal, stop.requests.get());
    }
  }

  private void passOn(RunningCommand command, String signal, int count) {
    // An interactive shell ignores a request to end; its terminal going away it does not.
    if (count == 1 && !terminal) {
      tell(() -> command.signal(signal));
    } else {
      command.close();
    }
  }

  private void resized() {
    RunningCommand command = running;
    if (command != null) {
      session.terminal().findSize().ifPresent(s -> tell(() -> command.resize(s.rows(), s.cols())));
    }
  }

  // The command may end while we speak to it; whoever waits for it learns why.
  private static void tell(Runnable message) {
    try {
      message.run();
    } catch (CoveException e) {
      // See above.
    }
  }

  /** Runs to the end and gives the exit code. */
  int run(Sandbox sandbox, Command command, boolean tty, CommandFlags.Interactive interactive) {
    boolean rawInput = tty && session.terminal().isInput();
    boolean withInput = wantsInput(interactive);
    Command prepared = command;
    if (tty) {
      Terminal.Size size = session.terminal().findSize().orElse(USUAL_SIZE);
      prepared = prepared.terminal(size.rows(), size.cols());
    } else if (withInput) {
      prepared = prepared.openStdin();
    }
    if (stop.requested()) {
      return stop.exitCode();
    }
    Optional<Thread> pump = Optional.empty();
    try (RunningCommand started = sandbox.start(prepared);
        Terminal.Mode _ = rawInput ? session.terminal().enterRawMode() : () -> {}) {
      terminal = tty;
      begin(started);
      if (withInput) {
        pump = Optional.of(pumpInput(session.in(), started.stdin()));
      } else if (tty) {
        started.stdin().close();
      }
      return report(started.copyTo(new Out(session.out()), session.err()));
    } catch (OutputGoneException e) {
      return ExitCode.SIGNAL + Signals.numberOf("PIPE");
    } catch (IOException e) {
      return afterBreak(e);
    } finally {
      running = null;
      pump.ifPresent(Thread::interrupt); // who comes after us reads on
    }
  }

  private int afterBreak(IOException e) {
    if (stop.requested()) {
      return stop.exitCode();
    }
    throw new UserError("The connection to the server broke: " + e.getMessage(), e);
  }

  private int report(ExitStatus exit) {
    if (exit.timedOut()) {
      session.note("cove: The command was killed because its time was up.");
    } else if (exit.oomKilled()) {
      session.note("cove: The command was killed because the sandbox ran out of memory.");
    }
    return exit.exitCode();
  }

  private boolean wantsInput(CommandFlags.Interactive interactive) {
    return switch (interactive) {
      case yes -> true;
      case no -> false;
      case auto -> !inputIsNull();
    };
  }

  private static boolean inputIsNull() {
    try {
      return Path.of("/dev/null").equals(Files.readSymbolicLink(Path.of("/proc/self/fd/0")));
    } catch (IOException e) {
      // No input at all.
      return true;
    }
  }

  /** On a platform thread: reading a descriptor would pin a virtual thread's carrier. */
  private static Thread pumpInput(InputStream source, OutputStream target) {
    return Thread.ofPlatform()
        .daemon()
        .name("input")
        .start(() -> {
          byte[] buffer = new byte[32 * 1024];
          try (target) {
            for (int n = source.read(buffer); n >= 0; n = source.read(buffer)) {
              target.write(buffer, 0, n);
            }
          } catch (IOException | CoveException e) {
            // The command has ended or closed its input; the rest has no taker.
          }
        });
  }

  /** Nobody reads our output any more, as in {@code cove exec box -- yes | head -1}. */
  private static final class OutputGoneException extends IOException {
    OutputGoneException(IOException cause) {
      super(cause);
    }
  }

  private static final class Out extends OutputStream {
    private final OutputStream target;

    Out(OutputStream target) {
      this.target = target;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        target.write(bytes, offset, length);
      } catch (IOException e) {
        throw new OutputGoneException(e);
      }
    }
  }

  /** The variables that a terminal's program asks for. */
  static Command withTerminalVariables(Command command, Session session) {
    Optional<String> term = Optional.ofNullable(session.environment().get("TERM"));
    Command result = command;
    if (term.isPresent() && !term.get().isEmpty()) {
      result = result.env("TERM", term.get());
    }
    String colour = session.environment().getOrDefault("COLORTERM", "");
    return colour.isEmpty() ? result : result.env("COLORTERM", colour);
  }
}
