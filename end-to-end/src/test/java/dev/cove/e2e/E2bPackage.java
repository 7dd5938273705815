package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One published version of a JavaScript package of E2B's, installed once per machine into a folder
 * of the user's cache, exactly as its lock file says.
 */
final class E2bPackage {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final List<String> SCRIPTS =
      List.of(
          "area.cjs",
          "base.cjs",
          "surface.cjs",
          "commands.cjs",
          "files.cjs",
          "git.cjs",
          "sandboxes.cjs",
          "storage.cjs",
          "lifetimes.cjs",
          "code.cjs",
          "load.cjs",
          "names.cjs",
          "pictures.cjs",
          "rules.cjs",
          "secrets.cjs",
          "templates.cjs");

  private final Path folder;

  private E2bPackage(Path folder) {
    this.folder = folder;
  }

  /**
   * @param name of a folder of {@code src/test/resources/e2b}
   */
  static E2bPackage of(String name) {
    try {
      return install(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static E2bPackage install(String name) throws IOException {
    requireTool("node");
    requireTool("npm");
    String from = name + "/";
    String lock = HexFormat.of().formatHex(sha256(resource(from + "package-lock.json")));
    Path folder =
        Path.of(System.getProperty("user.home"), ".cache", "cove-tests")
            .resolve(name + "-" + lock.substring(0, 12));
    Files.createDirectories(folder);
    Path done = folder.resolve("done");
    try (var claim =
            FileChannel.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = claim.lock()) {
      if (!Files.exists(done)) {
        for (String file : List.of("package.json", "package-lock.json")) {
          Files.write(folder.resolve(file), resource(from + file));
        }
        run(
            new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
                .directory(folder.toFile()));
        Files.createFile(done);
      }
    }
    return new E2bPackage(folder);
  }

  private static void requireTool(String name) {
    boolean found =
        List.of(System.getenv("PATH").split(":")).stream()
            .anyMatch(place -> Files.isExecutable(Path.of(place, name)));
    assertThat(found)
        .as("%s, which E2B's SDK needs, is missing: apt-get install nodejs npm", name)
        .isTrue();
  }

  /** What a user exports. */
  static Map<String, String> environment(RunningServer server, String... flags) throws Exception {
    var verb = new ArrayList<>(List.of("e2b", "env"));
    verb.addAll(List.of(flags));
    String lines = Cli.of(server).run(verb.toArray(String[]::new)).succeeded().stdout();
    return lines
        .lines()
        .filter(line -> line.startsWith("export "))
        .map(line -> line.substring("export ".length()).split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  /** Runs a script of {@code src/test/resources/e2b}, and tells what it printed. */
  String run(String script, Map<String, String> environment) throws IOException {
    Path here = Files.createTempDirectory("cove-e2b-");
    try {
      for (String name : SCRIPTS) {
        Files.write(here.resolve(name), resource(name));
      }
      var node = new ProcessBuilder("node", here.resolve(script).toString());
      node.environment().keySet().removeIf(name -> name.startsWith("E2B_"));
      node.environment().put("NODE_PATH", folder.resolve("node_modules").toString());
      node.environment().putAll(environment);
      return run(node);
    } finally {
      RunningServer.removeTree(here);
    }
  }

  /** Runs a program of the package's, such as {@code e2b}, with a home that is empty. */
  Cli.Outcome program(String name, Map<String, String> environment, String input, String... args)
      throws Exception {
    Path home = Files.createTempDirectory("cove-e2b-");
    try {
      Path stdin = Files.writeString(home.resolve("input"), input);
      Path stdout = home.resolve("output");
      Path stderr = home.resolve("errors");
      var command = new ArrayList<String>();
      command.add("node");
      command.add(folder.resolve("node_modules/.bin").resolve(name).toString());
      command.addAll(List.of(args));
      var builder = new ProcessBuilder(command);
      builder.environment().keySet().removeIf(variable -> variable.startsWith("E2B_"));
      builder.environment().putAll(environment);
      builder.environment().putAll(Map.of("HOME", home.toString(), "NO_COLOR", "1"));
      Process process =
          builder
              .redirectInput(stdin.toFile())
              .redirectOutput(stdout.toFile())
              .redirectError(stderr.toFile())
              .start();
      boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly();
      }
      String errors = Files.readString(stderr);
      assertThat(ended).as("%s ends; it said: %s", command, errors).isTrue();
      return new Cli.Outcome(process.exitValue(), Files.readAllBytes(stdout), errors);
    } finally {
      RunningServer.removeTree(home);
    }
  }

  private static String run(ProcessBuilder builder) throws IOException {
    Path output = Files.createTempFile("cove-e2b-", ".log");
    try {
      Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
      boolean ended;
      try {
        ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      if (!ended) {
        process.destroyForcibly();
      }
      String text = Files.readString(output);
      assertThat(ended).as("%s ends; it said: %s", builder.command(), text).isTrue();
      assertThat(process.exitValue()).as("%s said: %s", builder.command(), text).isZero();
      return text;
    } finally {
      Files.delete(output);
    }
  }

  /** A resource as text. */
  static String text(String name) throws IOException {
    return new String(resource(name), StandardCharsets.UTF_8);
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = E2bPackage.class.getResourceAsStream("/e2b/" + name)) {
      if (in == null) {
        throw new IOException("there is no resource /e2b/" + name);
      }
      return in.readAllBytes();
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
