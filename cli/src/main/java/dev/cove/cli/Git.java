package dev.cove.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The user's own git in one folder.
 *
 * <p>Nothing of the repository is run: no hook, no monitor, no filter, no pager. Where we are root
 * and the folder is somebody else's, git runs as that person, so that what it makes is that
 * person's.
 */
final class Git {
  private static final int ROOT = 0;
  private static final List<String> RUN_NOTHING =
      List.of(
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "gc.auto=0",
          "-c",
          "maintenance.auto=false");

  private static final Map<String, String> ENVIRONMENT =
      Map.of("LC_ALL", "C", "GIT_LITERAL_PATHSPECS", "1", "GIT_TERMINAL_PROMPT", "0");

  private final Path folder;
  private final List<String> before;

  private Git(Path folder, List<String> before) {
    this.folder = folder;
    this.before = before;
  }

  static Git in(Path folder) {
    var before = new ArrayList<String>();
    try {
      int owner = (int) Files.getAttribute(folder, "unix:uid");
      int group = (int) Files.getAttribute(folder, "unix:gid");
      int us = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      if (us == ROOT && owner != ROOT) {
        before.addAll(List.of("setpriv", "--reuid", Integer.toString(owner)));
        before.addAll(List.of("--regid", Integer.toString(group), "--clear-groups", "--"));
        before.addAll(List.of("env", "HOME=" + homeOf(owner)));
      }
    } catch (IOException e) {
      throw UserError.of("The folder '%s' can't be looked at".formatted(folder), e);
    }
    before.add("git");
    before.addAll(RUN_NOTHING);
    return new Git(folder, List.copyOf(before));
  }

  private static String homeOf(int uid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/etc/passwd"), StandardCharsets.ISO_8859_1)) {
      String[] fields = line.split(":", -1);
      if (fields.length > 5 && fields[2].equals(Integer.toString(uid))) {
        return fields[5];
      }
    }
    return "/nonexistent";
  }

  /** How it ended and what it said. */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  record Answer(int exitCode, byte[] out, String error) {
    String text() {
      return new String(out, StandardCharsets.UTF_8).strip();
    }
  }

  /** What it prints; a failure is told with git's own words. */
  Answer require(String... arguments) {
    return requireFed(Path.of("/dev/null"), arguments);
  }

  /** The same with a file as its input. */
  Answer requireFed(Path input, String... arguments) {
    Answer answer = run(input, arguments);
    if (answer.exitCode() != 0) {
      throw new UserError(
          "git %s failed: %s"
              .formatted(arguments[0], Escapes.visible(answer.error().strip().replace('\n', ' '))));
    }
    return answer;
  }

  /** What it prints in one line, if it succeeds. */
  Optional<String> find(String... arguments) {
    Answer answer = run(Path.of("/dev/null"), arguments);
    return answer.exitCode() == 0 ? Optional.of(answer.text()) : Optional.empty();
  }

  /** However it ends. */
  Answer run(Path input, String... arguments) {
    var command = new ArrayList<>(before);
    command.addAll(List.of(arguments));
    var builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectInput(input.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    builder.environment().putAll(ENVIRONMENT);
    try {
      Process process = builder.start();
      var error = new StringBuilder();
      Thread reader = Thread.ofPlatform().daemon().start(() -> error.append(readText(process)));
      byte[] out = process.getInputStream().readAllBytes();
      int code = process.waitFor();
      reader.join();
      return new Answer(code, out, error.toString());
    } catch (IOException e) {
      throw UserError.of("git can't be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("Interrupted while git ran", e);
    }
  }

  private static String readText(Process process) {
    try {
      return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
