package dev.cove.guest;

import dev.cove.guest.CommandSpec.TerminalSize;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/**
 * An attachment to a command in a sandbox.
 *
 * <p>Output that nobody reads holds the command back once a window is full; it never fills memory
 * here. {@link #close} detaches: a command that was started with {@code keep} runs on, any other is
 * killed.
 */
public interface Command extends AutoCloseable {
  /** The agent's own number for it, never used twice in the life of a sandbox. */
  long processId();

  /** The pid inside the sandbox. */
  int pid();

  /** Closing it is the end of the command's input. Writes block while the command reads nothing. */
  OutputStream stdin();

  InputStream stdout();

  /** Empty when the command has a terminal. */
  InputStream stderr();

  /** Bytes of stdout that nobody read in time and that are gone. */
  long droppedOutput();

  /** The same of stderr. */
  long droppedErrors();

  void signal(int signal);

  void resize(TerminalSize size);

  /** Completes when the command has ended; output that is still on its way can be read after it. */
  CompletableFuture<CommandExit> exit();

  @Override
  void close();
}
