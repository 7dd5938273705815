package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.ServerAddress;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The world as a verb sees it.
 *
 * @param in raw bytes, not buffered
 * @param out raw bytes, not buffered
 * @param launcher the script that started us; it also starts servers
 */
record Session(
    Map<String, String> environment,
    InputStream in,
    OutputStream out,
    OutputStream err,
    Terminal terminal,
    Optional<Path> launcher) {
  private static final String PROJECT = "COVE_PROJECT";

  /** The same for somebody who acts in that project. */
  Session in(String project) {
    var changed = new HashMap<>(environment);
    changed.put(PROJECT, project);
    return new Session(Map.copyOf(changed), in, out, err, terminal, launcher);
  }

  /** The same with other input. */
  Session reading(InputStream input) {
    return new Session(environment, input, out, err, terminal, launcher);
  }

  /** The server that the environment names, or the local one; for verbs that only name it. */
  ServerAddress requireAddress() {
    return ServerAddress.find(environment)
        .orElseThrow(() -> new UserError("No Cove server runs here. Start one with 'cove up'."));
  }

  /** Connects to the server that the environment names, or to the local one. */
  Cove connect() {
    ServerAddress address =
        ServerAddress.find(environment)
            .orElseThrow(() ->
                new UserError(
                    "No Cove server runs here. Start one with 'cove up',"
                        + " or set COVE_URL and COVE_API_KEY."));
    try {
      String project = environment.getOrDefault(PROJECT, "");
      return project.isEmpty()
          ? Cove.connect(address.url(), address.apiKey())
          : Cove.connect(address.url(), address.apiKey(), project);
    } catch (IllegalArgumentException e) {
      throw new UserError("COVE_URL or COVE_API_KEY is not usable: " + e.getMessage(), e);
    }
  }

  boolean remote() {
    return !environment.getOrDefault("COVE_URL", "").isEmpty();
  }

  /** For text; flush or close it. */
  PrintStream printer() {
    return new PrintStream(out, false, StandardCharsets.UTF_8);
  }

  void println(String line) {
    print(out, line + "\n");
  }

  /** For text that has its own line ends. */
  void print(String text) {
    print(out, text);
  }

  /** For what is said beside the result. */
  void note(String line) {
    print(err, line + "\n");
  }

  /** For a question that is answered on the same line. */
  void prompt(String text) {
    print(err, text);
  }

  private static void print(OutputStream target, String text) {
    var printer = new PrintStream(target, false, StandardCharsets.UTF_8);
    printer.print(text);
    printer.flush();
  }

  /** Whether output may carry colours: a terminal that can, and a user who has not said no. */
  boolean colours() {
    return terminal.isOutput()
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "dumb").equals("dumb");
  }
}
