package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of a server that the host gives no more descriptors or threads, or no reader. */
class ExhaustionTest {
  @RegisterExtension
  static final RunningServer SERVER = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int DESCRIPTORS = 300;

  @AfterEach
  void startAsUsual() throws IOException {
    SERVER.stop();
    SERVER.start();
  }

  @Test
  void a_server_without_descriptors_says_so_does_not_spin_and_goes_on_when_it_has_some()
      throws Exception {
    SERVER.stop();
    SERVER.start(launch -> {
      String most = DESCRIPTORS + ":" + DESCRIPTORS;
      launch.command().addAll(0, List.of("prlimit", "--nofile=" + most, "--"));
    });
    var flood = new ArrayList<Socket>();
    var box = SERVER.create();
    String ask = "curl -s -m 5 http://192.0.2.1/";
    box.spawn(Command.shell("while true; do " + ask + "; sleep 0.1; done"));
    long cpuBefore = cpuTicks();
    long begin = System.nanoTime();
    try (Connection early = new Connection()) {
      assertThat(early.get("/readyz")).startsWith("HTTP/1.1 200");
      for (int i = 0; i < DESCRIPTORS; i++) {
        flood.add(new Socket(InetAddress.getLoopbackAddress(), SERVER.url().getPort()));
      }
      Awaitility.await("the descriptors to run out")
          .atMost(PATIENCE)
          .until(() -> Files.readString(SERVER.log()).contains("No connection can be accepted"));
      assertThat(early.get("/readyz")).startsWith("HTTP/1.1 503").contains("file descriptors");
      assertThat(early.get("/healthz")).startsWith("HTTP/1.1 200");
      // One may yet be made with what a connection of the sandbox's has just left, and keeps it.
      String answer = early.create();
      for (int i = 0; i < DESCRIPTORS && answer.startsWith("HTTP/1.1 201"); i++) {
        answer = early.create();
      }
      assertThat(answer).startsWith("HTTP/1.1 503");
      Awaitility.await("some seconds to pass")
          .atMost(PATIENCE)
          .until(() -> System.nanoTime() - begin > Duration.ofSeconds(4).toNanos());
      double seconds = (System.nanoTime() - begin) / 1e9;
      assertThat((cpuTicks() - cpuBefore) / 100.0).isLessThan(seconds * 0.8);
    } finally {
      for (Socket one : flood) {
        one.close();
      }
    }
    awaitReady();
    try (box) {
      assertThat(box.exec("sh", "-c", ask).stdout())
          .as("its network is there again")
          .contains("default deny");
    }
    assertThat(linesOfLog("Connections of sandbox " + box.id() + " wait")).isEqualTo(1);
    assertThat(linesOfLog("No connection can be accepted")).isEqualTo(1);
    assertThat(linesOfLog("Connections are accepted again")).isEqualTo(1);
  }

  @Test
  void a_server_without_threads_refuses_and_goes_on_when_it_has_some() throws Exception {
    try (var api = new RawApi(SERVER);
        var group = new PidsGroup()) {
      api.get("/readyz");
      group.takeIn(SERVER.pid());
      group.limit(1);
      Awaitility.await("the lack of threads to be told")
          .atMost(PATIENCE)
          .until(() -> api.get("/readyz").body().contains("no more threads"));
      for (int i = 0; i < 5; i++) {
        HttpResponse<String> refused = api.post("/api/v1/sandboxes", "{}");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
      }
      assertThat(api.get("/healthz").statusCode()).isEqualTo(200);
      group.unlimited();
      awaitReady();
      try (var box = SERVER.create()) {
        assertThat(box.exec("echo", "again").stdout()).isEqualTo("again\n");
      }
      assertThat(SERVER.isAlive()).isTrue();
    }
  }

  @Test
  void a_server_whose_log_nobody_reads_goes_on_and_later_says_how_much_is_lost() throws Exception {
    SERVER.stop();
    SERVER.start(launch -> {
      launch.environment().put("COVE_LOG_LEVEL", "debug");
      launch.redirectOutput(ProcessBuilder.Redirect.PIPE);
    });
    try (var api = new RawApi(SERVER)) {
      var _ =
          AtOnce.times(
              16,
              _ -> {
                for (int i = 0; i < 300; i++) { // together a pipe full, and the lines that wait
                  assertThat(api.get("/api/v1/sandboxes/none").statusCode()).isEqualTo(404);
                }
                return true;
              });
      try (var box = SERVER.create()) {
        assertThat(box.exec("echo", "on").stdout()).isEqualTo("on\n");
      }
      assertThat(api.get("/readyz").statusCode()).isEqualTo(200);
    }
    var log = new StringBuilder();
    InputStream output = SERVER.output();
    Awaitility.await("the log to tell of what is missing")
        .atMost(PATIENCE)
        .until(() -> {
          log.append(new String(output.readNBytes(output.available()), StandardCharsets.UTF_8));
          return log.toString().contains("log lines were lost because nobody read them");
        });
  }

  private static void awaitReady() {
    Awaitility.await("the server to be ready again")
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(() -> {
          try (Connection fresh = new Connection()) {
            assertThat(fresh.get("/readyz")).startsWith("HTTP/1.1 200");
          }
        });
  }

  private static long linesOfLog(String text) throws IOException {
    return Files.readAllLines(SERVER.log()).stream().filter(line -> line.contains(text)).count();
  }

  private static long cpuTicks() throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(SERVER.pid()), "stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }

  /** One connection that is kept, whatever comes. */
  private static final class Connection implements AutoCloseable {
    private final Socket socket;

    Connection() throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.url().getPort());
      socket.setSoTimeout((int) PATIENCE.toMillis());
    }

    String get(String path) throws IOException {
      return ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    String create() throws IOException {
      return ask(
          "POST /api/v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + SERVER.key()
              + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    }

    private String ask(String request) throws IOException {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      var answer = new StringBuilder();
      InputStream in = socket.getInputStream();
      while (answer.indexOf("\r\n\r\n") < 0) {
        answer.append((char) in.read());
      }
      String head = answer.toString().toLowerCase(java.util.Locale.ROOT);
      int at = head.indexOf("content-length: ") + 16;
      int length = Integer.parseInt(head.substring(at, head.indexOf("\r\n", at)));
      return answer + new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** A cgroup that holds a process and its threads to a number. */
  private static final class PidsGroup implements AutoCloseable {
    private final Path parent =
        Files.isDirectory(Path.of("/sys/fs/cgroup/pids"))
            ? Path.of("/sys/fs/cgroup/pids")
            : Path.of("/sys/fs/cgroup");
    private final Path group;

    PidsGroup() throws IOException {
      group = Files.createTempDirectory(parent, "cove-threads-");
    }

    void takeIn(long pid) throws IOException {
      Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
      for (long child :
          ProcessHandle.of(pid).orElseThrow().children().map(ProcessHandle::pid).toList()) {
        Files.writeString(group.resolve("cgroup.procs"), Long.toString(child));
      }
    }

    void limit(int most) throws IOException {
      Files.writeString(group.resolve("pids.max"), Integer.toString(most));
    }

    void unlimited() throws IOException {
      Files.writeString(group.resolve("pids.max"), "max");
    }

    @Override
    public void close() throws IOException {
      unlimited();
      for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
        Files.writeString(parent.resolve("cgroup.procs"), pid);
      }
      Awaitility.await("the group to be empty")
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> Files.deleteIfExists(group));
    }
  }
}
