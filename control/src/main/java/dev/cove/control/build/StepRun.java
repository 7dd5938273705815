package dev.cove.control.build;

import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Runs a command of a build and passes on what it prints. */
final class StepRun {
  private static final Duration MAX_DURATION = Duration.ofMinutes(50);
  private static final int MAX_OUTPUT = 16 * 1024 * 1024;

  private final Guest guest;
  private final Settings settings;
  private final Map<String, String> arguments;
  private final BuildLog log;
  private int printed;

  /**
   * @param arguments variables that only this command gets
   */
  StepRun(Guest guest, Settings settings, Map<String, String> arguments, BuildLog log) {
    this.guest = guest;
    this.settings = settings;
    this.arguments = arguments;
    this.log = log;
  }

  /**
   * @throws CoveException GUEST_REFUSED when it ends with another code than 0
   */
  void run(List<String> argv) {
    var env = new HashMap<>(arguments);
    env.putAll(settings.env());
    var spec =
        new CommandSpec(
            argv,
            env,
            settings.cwd(),
            settings.user(),
            false,
            Optional.empty(),
            MAX_DURATION,
            false);
    try (Command command = guest.start(spec)) {
      CompletableFuture<Void> errors =
          CompletableFuture.runAsync(() -> pass(command.stderr()), Thread::startVirtualThread);
      pass(command.stdout());
      errors.join();
      CommandExit exit = command.exit().join();
      if (exit.code() != 0) {
        throw new CoveException(
            ErrorCode.GUEST_REFUSED,
            exit.timedOut()
                ? "the command took longer than %d minutes".formatted(MAX_DURATION.toMinutes())
                : "the command ended with exit code %d".formatted(exit.code()));
      }
    }
  }

  private void pass(InputStream stream) {
    try (var text = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
      char[] buffer = new char[8192];
      for (int read = text.read(buffer); read >= 0; read = text.read(buffer)) {
        tell(new String(buffer, 0, read));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void tell(String text) {
    boolean fits = printed < MAX_OUTPUT;
    printed += fits ? text.length() : 0;
    if (fits) {
      log.output(text);
      if (printed >= MAX_OUTPUT) {
        log.output("\n(the rest of the output is left out)\n");
      }
    }
  }
}
