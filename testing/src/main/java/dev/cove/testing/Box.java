package dev.cove.testing;

import dev.cove.engine.Cage;
import dev.cove.guest.CommandExit;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.GuestLink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A cage and the link to its agent. */
public record Box(Cage cage, GuestLink guest) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What a shell script said and how it ended. */
  public record Outcome(String output, CommandExit exit) {}

  public static Box of(Cage cage) throws IOException {
    return new Box(cage, GuestLink.open(cage.connect(), PATIENCE));
  }

  /** Standard output and error of a script that must succeed, as the default user. */
  public String user(String script) {
    return succeed(run(CommandSpec.DEFAULT_USER, script), script);
  }

  /** The same as root inside. */
  public String root(String script) {
    return succeed(run("root", script), script);
  }

  private static String succeed(Outcome outcome, String script) {
    if (outcome.exit().code() != 0) {
      throw new AssertionError(
          "`%s` ended with %d: %s".formatted(script, outcome.exit().code(), outcome.output()));
    }
    return outcome.output().strip();
  }

  /** Runs a script, whatever comes of it. */
  public Outcome run(String user, String script) {
    var spec =
        new CommandSpec(
            List.of("sh", "-c", "exec 2>&1\n" + script),
            Map.of(),
            "/",
            user,
            false,
            Optional.empty(),
            PATIENCE,
            false);
    try (var command = guest.start(spec)) {
      String output = new String(command.stdout().readAllBytes(), StandardCharsets.UTF_8);
      return new Outcome(output, await(command.exit()));
    } catch (IOException e) {
      throw new AssertionError("The output of a command could not be read", e);
    }
  }

  private static CommandExit await(CompletableFuture<CommandExit> exit) {
    try {
      return exit.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("A command did not end", e);
    }
  }

  @Override
  public void close() {
    guest.close();
    cage.destroy();
  }
}
