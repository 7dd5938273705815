package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A person at a terminal: a real pty, keys, a window that changes its size. */
final class Terminal implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path script;
  private final Process driver;
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private volatile int seen;

  private Terminal(Path script, Process driver) {
    this.script = script;
    this.driver = driver;
    Thread.ofPlatform().daemon().start(this::watch);
  }

  static Terminal open(int rows, int cols, Map<String, String> environment, List<String> command)
      throws IOException {
    Path script = Files.createTempFile("cove-e2e-terminal", ".py");
    try (InputStream text = Terminal.class.getResourceAsStream("terminal.py")) {
      Files.write(script, text == null ? new byte[0] : text.readAllBytes());
    }
    var line = new ArrayList<>(List.of("/usr/bin/python3", script.toString()));
    line.addAll(List.of(Integer.toString(rows), Integer.toString(cols)));
    line.addAll(command);
    var builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("COVE_"));
    builder.environment().putAll(environment);
    builder.environment().put("TERM", "xterm");
    return new Terminal(script, builder.start());
  }

  private void watch() {
    byte[] buffer = new byte[8192];
    try (InputStream screen = driver.getInputStream()) {
      for (int read = screen.read(buffer); read >= 0; read = screen.read(buffer)) {
        shown.write(buffer, 0, read);
      }
    } catch (IOException e) {
      shown.writeBytes(("[the terminal broke: " + e + "]").getBytes(StandardCharsets.UTF_8));
    }
  }

  void type(String keys) throws IOException {
    order("type " + Base64.getEncoder().encodeToString(keys.getBytes(StandardCharsets.UTF_8)));
  }

  void resize(int rows, int cols) throws IOException {
    order("size " + rows + " " + cols);
  }

  private void order(String line) throws IOException {
    var orders = driver.getOutputStream();
    orders.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    orders.flush();
  }

  /** Waits until something new on the screen matches. */
  void expect(String regex) {
    var pattern = Pattern.compile(regex);
    Awaitility.await("the terminal to show " + regex)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> {
          String screen = shown.toString(StandardCharsets.UTF_8);
          var matcher = pattern.matcher(screen);
          assertThat(matcher.find(seen)).as("screen: %s", screen.substring(seen)).isTrue();
          seen = matcher.end();
        });
  }

  int awaitExit() throws InterruptedException {
    assertThat(driver.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("the program in the terminal ends; screen: %s", shown.toString(StandardCharsets.UTF_8))
        .isTrue();
    return driver.exitValue();
  }

  @Override
  public void close() throws IOException {
    driver.descendants().forEach(ProcessHandle::destroyForcibly);
    driver.destroyForcibly();
    Files.deleteIfExists(script);
  }
}
