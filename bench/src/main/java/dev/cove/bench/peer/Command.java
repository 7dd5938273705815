package dev.cove.bench.peer;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A short program that prepares or tidies something; never one that is being timed. */
public final class Command {
  private static final int MOST_OUTPUT = 64 * 1024;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Command() {}

  /**
   * What a program said and how it ended.
   *
   * @param output the start of standard output and standard error, mixed
   */
  public record Result(int exitCode, String output) {

    /** The last line that says something: programs put the reason for giving up there. */
    public String reason() {
      return output
          .lines()
          .filter(line -> !line.isBlank())
          .reduce((first, second) -> second)
          .map(String::strip)
          .orElse("It ended with exit code " + exitCode + " and said nothing.");
    }
  }

  /**
   * Runs to the end, for at most a minute; a program that takes longer is killed and counts as
   * failed.
   */
  public static Result run(List<String> command) throws IOException, InterruptedException {
    return run(command, LIMIT);
  }

  static Result run(List<String> command, Duration limit) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .start();
    // A watchdog ends the program, so that reading its output can't outlast the limit either.
    Thread watchdog =
        Thread.ofVirtual()
            .start(() -> {
              try {
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                  process.toHandle().destroyForcibly();
                }
              } catch (InterruptedException _) {
                process.toHandle().destroyForcibly();
              }
            });
    try (var output = process.getInputStream()) {
      byte[] head = output.readNBytes(MOST_OUTPUT);
      output.skip(Long.MAX_VALUE);
      return new Result(process.waitFor(), new String(head, StandardCharsets.UTF_8));
    } finally {
      watchdog.interrupt();
    }
  }

  /**
   * Runs something that removes what an earlier command made, whether or not it is there to be
   * removed. Cut short by an interruption it stays interrupted.
   */
  public static void tidy(List<String> command) throws IOException {
    try {
      Result _ = run(command);
    } catch (InterruptedException interruption) {
      Thread.currentThread().interrupt();
      throw new IOException(
          "Interrupted while tidying up: " + String.join(" ", command), interruption);
    }
  }

  /** Runs to the end and throws, with the program's own reason, when it fails. */
  public static String require(List<String> command) throws IOException, InterruptedException {
    return require(LIMIT, command);
  }

  /** The same, for what may take longer. */
  public static String require(Duration limit, List<String> command)
      throws IOException, InterruptedException {
    Result result = run(command, limit);
    if (result.exitCode() != 0) {
      throw new IOException(String.join(" ", command) + " failed: " + result.reason());
    }
    return result.output();
  }
}
