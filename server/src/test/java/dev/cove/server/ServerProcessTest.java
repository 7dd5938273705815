package dev.cove.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as its own process, with everything in it real. Makes no sandbox. */
class ServerProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  private Path temporary;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void makeFolder() throws IOException {
    temporary = Files.createDirectory(folder.resolve("tmp"));
  }

  @AfterEach
  void endAll() throws InterruptedException {
    for (Process process : started) {
      process.destroy();
      if (!process.waitFor(40, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void a_server_announces_itself_answers_and_takes_its_announcement_back() throws Exception {
    Process server = start("--port", "0");
    assertThat(status(awaitUrl(server) + "/healthz", "")).isEqualTo(200);
    assertThat(status(url() + "/api/v1/sandboxes", "")).isEqualTo(401);
    String key = Files.readString(home().localKey()).strip();
    assertThat(status(url() + "/api/v1/sandboxes", key)).isEqualTo(200);
    assertThat(log(server)).doesNotContain(key).doesNotContain(key.substring(30));

    server.destroy();
    assertThat(server.waitFor(40, TimeUnit.SECONDS)).isTrue();
    assertThat(home().announcement()).doesNotExist();
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void a_killed_server_is_followed_by_one_that_works_with_the_same_key() throws Exception {
    Process first = start("--port", "0");
    awaitUrl(first);
    String key = Files.readString(home().localKey()).strip();
    first.destroyForcibly().waitFor();
    assertThat(home().announcement()).exists();
    Files.delete(home().announcement());

    Process second = start("--port", "0");
    assertThat(status(awaitUrl(second) + "/api/v1/sandboxes", key)).isEqualTo(200);
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void a_second_server_on_one_home_says_who_has_it() throws Exception {
    Process first = start("--port", "0");
    awaitUrl(first);
    Process second = start("--port", "0");
    assertThat(exitCode(second)).isEqualTo(1);
    assertThat(log(second))
        .contains("Another server (pid " + first.pid() + ")")
        .doesNotContain("\tat ");
    assertThat(status(url() + "/healthz", "")).isEqualTo(200);
  }

  @Test
  void a_port_in_use_is_named_and_nothing_stays_behind() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Process server = start("--port", Integer.toString(taken.getLocalPort()));
      assertThat(exitCode(server)).isEqualTo(1);
      assertThat(log(server)).contains("port " + taken.getLocalPort()).contains("--port");
      assertThat(home().announcement()).doesNotExist();
    }
  }

  @Test
  void settings_that_make_no_sense_are_all_named() throws Exception {
    Process server = start("--port", "x", "--colour", "blue");
    assertThat(exitCode(server)).isEqualTo(2);
    assertThat(log(server)).contains("--port must be a number").contains("no option --colour");
    assertThat(home().data()).doesNotExist();
  }

  @Test
  void a_price_list_that_cannot_be_read_stops_the_start_and_is_never_free_of_charge()
      throws Exception {
    Path list = Files.writeString(folder.resolve("prices"), "currency EUR\ncpu-hour cheap\n");
    Process wrong = startWith(Map.of("COVE_PRICES", list.toString()), "--port", "0");
    assertThat(exitCode(wrong)).isEqualTo(2);
    assertThat(log(wrong))
        .contains("COVE_PRICES names a file that is no price list")
        .contains("line 2")
        .doesNotContain("\tat ");
    Process missing = startWith(Map.of("COVE_PRICES", list + ".not"), "--port", "0");
    assertThat(exitCode(missing)).isEqualTo(2);
    assertThat(log(missing)).contains("COVE_PRICES names a file that cannot be read");
    assertThat(home().data()).doesNotExist();
  }

  @Test
  void a_damaged_ledger_stops_the_start_with_advice() throws Exception {
    Files.createDirectories(home().data());
    Files.writeString(home().ledger(), "not a database ".repeat(500));
    Process server = start("--port", "0");
    assertThat(exitCode(server)).isEqualTo(1);
    assertThat(log(server)).contains(home().ledger().toString()).contains("damaged");
  }

  private Process start(String... arguments) throws IOException {
    return startWith(Map.of(), arguments);
  }

  private Process startWith(Map<String, String> settings, String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-Xmx128m",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                ServerMain.class.getName()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("COVE_"));
    builder.environment().put("COVE_HOME", folder.toString());
    builder.environment().put("COVE_POOL_SIZE", "0");
    builder.environment().putAll(settings);
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log" + started.size()).toFile())
            .start();
    started.add(process);
    return process;
  }

  private String log(Process process) throws IOException {
    return Files.readString(folder.resolve("log" + started.indexOf(process)));
  }

  private int exitCode(Process process) throws Exception {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(log(process)).isTrue();
    return process.exitValue();
  }

  private String awaitUrl(Process server) throws IOException {
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> Files.exists(home().announcement()) || !server.isAlive());
    assertThat(server.isAlive()).as(log(server)).isTrue();
    return url();
  }

  private String url() throws IOException {
    String json = Files.readString(home().announcement());
    return json.substring(json.indexOf("http"), json.indexOf("\",\"pid"));
  }

  private Home home() {
    return Home.in(folder);
  }

  private static int status(String url, String key) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE);
    if (!key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
  }
}
