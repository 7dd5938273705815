package dev.cove.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** One call of the command line inside this process, with all that it said. */
record CommandRun(int code, String out, String err) {
  static CommandRun of(Map<String, String> environment, String... args) {
    return of(environment, Optional.empty(), args);
  }

  static CommandRun of(Map<String, String> environment, Optional<Path> launcher, String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var session =
        new Session(
            environment, new ByteArrayInputStream(new byte[0]), out, err, Terminal.NONE, launcher);
    int code = new CommandLineFrame(session).run(args);
    return new CommandRun(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
