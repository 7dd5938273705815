package dev.cove.guest;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command to run in a sandbox.
 *
 * @param argv program and arguments; the program is looked up in PATH when it has no slash
 * @param env the whole environment, except that HOME, USER, LOGNAME, SHELL, PATH and TERM get
 *     defaults where absent
 * @param cwd absolute, or empty for the user's home
 * @param user a name or number
 * @param stdin false: the command reads from /dev/null
 * @param terminal present: the command gets a pty, and stderr arrives in stdout
 * @param timeout zero for none; at its end the process group is killed
 * @param keep true: when it ends, exit and output are kept for a late reader; false: they are
 *     dropped once delivered
 */
public record CommandSpec(
    List<String> argv,
    Map<String, String> env,
    String cwd,
    String user,
    boolean stdin,
    Optional<TerminalSize> terminal,
    Duration timeout,
    boolean keep) {
  public static final String DEFAULT_USER = "user";

  public CommandSpec {
    argv = List.copyOf(argv);
    env = Map.copyOf(env);
    if (argv.isEmpty() || argv.getFirst().isEmpty()) {
      throw new IllegalArgumentException("command must name a program");
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative");
    }
  }

  /** A command with no input, no terminal, no time limit, as the default user in its home. */
  public static CommandSpec of(String... argv) {
    return new CommandSpec(
        List.of(argv), Map.of(), "", DEFAULT_USER, false, Optional.empty(), Duration.ZERO, false);
  }

  public record TerminalSize(int rows, int cols) {
    public TerminalSize {
      if (rows < 1 || rows > 10_000 || cols < 1 || cols > 10_000) {
        throw new IllegalArgumentException("rows and cols must be between 1 and 10000");
      }
    }
  }
}
