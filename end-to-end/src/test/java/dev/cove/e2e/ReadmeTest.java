package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the README shows must work as it stands there. */
class ReadmeTest {
  private static final Pattern FIRST_JAVA = Pattern.compile("(?s)```java\\R(.*?)```");

  private static final Pattern LOOP =
      Pattern.compile(
          "(?s)a test runs this block in a project -->\\R```sh\\R(.*?)```\\R+```text\\R(.*?)```");

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void the_example_for_java_compiles_and_runs(@TempDir Path folder) throws Exception {
    Path source = folder.resolve("Example.java");
    Files.writeString(source, program(example()));
    var builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            source.toString());
    builder.redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("COVE_"));
    builder.environment().put("COVE_URL", server.url().toString());
    builder.environment().put("COVE_API_KEY", server.key());
    builder.directory(folder.toFile());
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(said).as("the example shows something").isNotBlank();
    assertThat(server.cove().sandboxes().list()).as("the example cleans up").isEmpty();
  }

  @Test
  void run_diff_apply_goes_as_it_is_shown(@TempDir Path folder) throws Exception {
    String readme = Files.readString(Launcher.repository().resolve("README.md"));
    var block = LOOP.matcher(readme);
    assertThat(block.find()).isTrue();
    Path place = folder.toRealPath();
    Launcher cove = Launcher.installedIn(place, server.home());
    Path source = Files.createDirectory(place.resolve("shop")).resolve("shop.py");
    Files.writeString(source, "def total(prices):\n    return sum(prices) + 1\n");
    try {
      Cli.Outcome outcome = cove.script(block.group(1));
      assertThat(outcome.succeeded().stdout()).isEqualTo(block.group(2));
      assertThat(source).hasContent("def total(prices):\n    return sum(prices)\n");
    } finally {
      server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
    }
  }

  private static String example() throws IOException {
    Path readme = Launcher.repository().resolve("README.md");
    assertThat(readme).exists();
    var matcher = FIRST_JAVA.matcher(Files.readString(readme));
    assertThat(matcher.find()).as("README.md has an example in Java").isTrue();
    return matcher.group(1);
  }

  /** An example may be a whole program, or imports and statements. */
  private static String program(String example) {
    if (example.contains("void main(")) {
      return example;
    }
    String imports = example.lines().filter(ReadmeTest::isImport).collect(Collectors.joining("\n"));
    String statements =
        example.lines().filter(line -> !isImport(line)).collect(Collectors.joining("\n"));
    return imports + "\nvoid main() throws Exception {\n" + statements + "\n}\n";
  }

  private static boolean isImport(String line) {
    return line.startsWith("import ");
  }
}
