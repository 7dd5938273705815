package dev.cove.guest;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What can be asked of the agent inside a sandbox. Safe for use by many threads.
 *
 * <p>Calls block the calling (virtual) thread, honour interruption, and throw {@link
 * GuestException} when the guest said no, {@link GuestLinkException} when the link is broken.
 */
public interface Guest {
  /** Starts a command and attaches to it. */
  Command start(CommandSpec spec);

  /** Attaches to a command that was started before, first replaying what is kept of its output. */
  Command attach(long processId);

  /** Commands that run, and those that ended and are still kept. */
  List<ProcessInfo> processes();

  /**
   * Sends a signal.
   *
   * @param group to its whole process group rather than to the one process
   */
  void signal(long processId, int signal, boolean group);

  /** Ends a command with SIGKILL if it runs, and drops what is kept of it. */
  void forget(long processId);

  /** File operations with the rights of {@code user} (a name or a number in the sandbox). */
  GuestFiles files(String user);

  /** Connects to a TCP port on the sandbox's loopback, IPv4 first and then IPv6. */
  TcpStream connect(int port);

  GuestMetrics metrics();

  /** Completes when the link has ended, for whatever reason. */
  CompletableFuture<Void> closed();
}
