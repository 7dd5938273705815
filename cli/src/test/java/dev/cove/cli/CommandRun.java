package dev.cove.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
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
    return of("", environment, launcher, args);
  }

  /** With this as its input. */
  static CommandRun fed(String input, Map<String, String> environment, String... args) {
    return of(input, environment, Optional.empty(), args);
  }

  private static CommandRun of(
      String input, Map<String, String> environment, Optional<Path> launcher, String... args) {
    var in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
    return of(in, Terminal.NONE, environment, launcher, args);
  }

  /** With somebody who types at a terminal. */
  static CommandRun at(Typist typist, Map<String, String> environment, String... args) {
    return of(typist.keyboard(), typist, environment, Optional.empty(), args);
  }

  private static CommandRun of(
      InputStream in,
      Terminal terminal,
      Map<String, String> environment,
      Optional<Path> launcher,
      String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var session = new Session(environment, in, out, err, terminal, launcher);
    int code = new CommandLineFrame(session).run(args);
    return new CommandRun(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
