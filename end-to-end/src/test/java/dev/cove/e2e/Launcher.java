package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The launcher {@code cove} with a build that is in use: this one.
 *
 * <p>Building again, beside the build that runs this test and in its folders, would break both. So
 * the launcher is put into a folder of its own where it finds a finished build.
 */
final class Launcher {
  private final Path folder;
  private final Path home;

  private Launcher(Path folder, Path home) {
    this.folder = folder;
    this.home = home;
  }

  static Launcher installedIn(Path folder, Path home) throws IOException {
    Path build = Files.createDirectories(folder.resolve(".build/current"));
    Files.createDirectories(folder.resolve("module/src"));
    Files.writeString(folder.resolve("pom.xml"), "<project/>");
    Files.writeString(folder.resolve("module/pom.xml"), "<project/>");
    Path cove = Files.copy(repository().resolve("cove"), folder.resolve("cove"));
    assertThat(cove.toFile().setExecutable(true)).isTrue();
    String javaHome = System.getProperty("java.home");
    Files.writeString(folder.resolve(".build/jdk"), javaHome + "\n");
    for (String part : List.of("server", "cli", "bench")) {
      var arguments = new ArrayList<String>();
      arguments.add("--enable-native-access=ALL-UNNAMED");
      arguments.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
      arguments.addAll(FastStart.of(part));
      Files.write(
          build.resolve(part + ".args"), arguments.stream().map(word -> '"' + word + '"').toList());
    }
    Files.writeString(
        build.resolve("stamp"), folder.toRealPath() + " " + identify(Path.of(javaHome)) + "\n");
    return new Launcher(folder, home);
  }

  /** As the launcher tells one JDK from another. */
  private static String identify(Path jdk) throws IOException {
    String version = "";
    String runtime = "";
    for (String line : Files.readAllLines(jdk.resolve("release"))) {
      String value = line.substring(line.indexOf('=') + 1);
      if (line.startsWith("JAVA_VERSION=")) {
        version = value;
      } else if (line.startsWith("JAVA_RUNTIME_VERSION=")
          || line.startsWith("IMPLEMENTOR_VERSION=")) {
        runtime += " " + value;
      }
    }
    return jdk + " " + version + runtime;
  }

  /** The folder that holds the launcher and the README. */
  static Path repository() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("cove")) || !Files.exists(folder.resolve("end-to-end"))) {
      Path parent = folder.getParent();
      if (parent == null) {
        throw new AssertionError("The tests do not run inside the repository");
      }
      folder = parent;
    }
    return folder;
  }

  Cli.Outcome run(String... args) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(folder.resolve("cove").toString()));
    command.addAll(List.of(args));
    return execute(command);
  }

  /** Runs lines that a person would type in the launcher's folder; the first that fails ends it. */
  Cli.Outcome script(String lines) throws IOException, InterruptedException {
    return execute(List.of("sh", "-eu", "-c", lines));
  }

  private Cli.Outcome execute(List<String> command) throws IOException, InterruptedException {
    Path stdout = Files.createTempFile(folder, "stdout", "");
    Path stderr = Files.createTempFile(folder, "stderr", "");
    // Files, because a server that is started in the background would hold a pipe open.
    var builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(stdout.toFile())
            .redirectError(stderr.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COVE_"));
    builder.environment().put("COVE_HOME", home.toString());
    builder.environment().put("COVE_PORT", "0");
    builder.environment().put("COVE_POOL_SIZE", "0");
    Process process = builder.start();
    try {
      assertThat(process.waitFor(90, TimeUnit.SECONDS)).as("%s ends", command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Cli.Outcome(
        process.exitValue(),
        Files.readAllBytes(stdout),
        Files.readString(stderr, StandardCharsets.UTF_8));
  }
}
