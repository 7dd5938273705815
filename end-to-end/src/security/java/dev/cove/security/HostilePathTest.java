package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.SandboxFiles;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths that a shell, a URL or a kernel could understand in another way than the caller meant. */
class HostilePathTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Intruder intruder;

  @BeforeAll
  static void start() {
    intruder = Intruder.in(SERVER.cove());
    intruder.files("user").mkdir("/home/user/names");
  }

  @AfterAll
  static void end() {
    intruder.close();
  }

  static List<String> oddNames() {
    return List.of(
        "%2e%2e",
        "..%2f",
        "%252e",
        "..\\",
        "...",
        ". .",
        "-rf",
        "--help",
        "$(id)",
        "`id`",
        ";reboot;",
        "a b",
        "a\nb",
        "a\tb",
        "a\rb",
        "\u001b[31mred",
        "*",
        "~",
        "'\"",
        "name?x=1&y=2#z",
        "+",
        "\u202etxt.exe",
        "zero\u200bwidth",
        "e\u0301",
        "\u00e9",
        "\ud83d\udc80",
        "n".repeat(255),
        "\u00fc".repeat(127));
  }

  @ParameterizedTest
  @MethodSource("oddNames")
  void an_odd_name_is_a_name_and_nothing_else(String name) {
    SandboxFiles files = intruder.files("user");
    String path = "/home/user/names/" + name;

    files.write(path, "content of " + name);

    assertThat(files.readString(path)).isEqualTo("content of " + name);
    assertThat(files.list("/home/user/names").stream().map(FileInfo::name)).containsExactly(name);
    String bytes =
        intruder
            .run(
                "user",
                "python3",
                "-c",
                "import os; print(os.listdir(b'/home/user/names')[0].hex())")
            .stdout()
            .strip();
    assertThat(bytes).isEqualTo(HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)));
    files.remove(path);
    assertThat(files.exists(path)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/home/user/../../tmp/dots",
        "/../../../../tmp/dots",
        "//tmp//dots",
        "/./tmp/./dots",
        "/proc/self/root/../tmp/dots",
        "/tmp/../../../../../../tmp/dots"
      })
  void dots_and_slashes_lead_where_they_lead_inside(String path) {
    intruder.files("user").write("/tmp/dots", "inside");
    try {
      assertThat(intruder.files("user").readString(path)).isEqualTo("inside");
    } catch (CoveApiException e) {
      assertThat(e.status()).as(e.detail()).isBetween(400, 499);
    }
  }

  static List<String> brokenPaths() {
    return List.of(
        "",
        "relative",
        "../etc/passwd",
        "%00",
        "/tmp/nul%00byte",
        "/tmp/%ff%fe",
        "/tmp/%c0%ae%c0%ae/etc",
        "/tmp/%ed%a0%80",
        "/tmp/%",
        "/tmp/%zz",
        "/tmp/%u0041",
        "/" + "n".repeat(256),
        "/" + "n/".repeat(2_100),
        "/" + "n".repeat(100_000));
  }

  @ParameterizedTest
  @MethodSource("brokenPaths")
  void a_broken_path_is_refused_by_every_verb(String rawPath) throws Exception {
    var client = ApiClient.of(SERVER);
    String files = "/api/v1/sandboxes/" + intruder.id() + "/files";
    byte[] before =
        intruder.must("user", "ls -la /home/user /tmp").getBytes(StandardCharsets.UTF_8);
    for (String call :
        List.of("GET ", "PUT ", "DELETE ", "GET /stat", "GET /list", "GET /archive")) {
      String verb = call.substring(call.indexOf(' ') + 1);
      var request =
          RawHttp.to(SERVER)
              .exchange(
                  call.substring(0, call.indexOf(' '))
                      + " "
                      + files
                      + verb
                      + "?path="
                      + rawPath
                      + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-API-Key: "
                      + SERVER.key()
                      + "\r\nContent-Length: 0\r\n\r\n");
      assertThat(request.status()).as("%s %.60s", call, rawPath).isBetween(400, 499);
    }
    assertThat(intruder.must("user", "ls -la /home/user /tmp").getBytes(StandardCharsets.UTF_8))
        .isEqualTo(before);
    HttpResponse<String> well = client.get(files + "/stat?path=/tmp");
    assertThat(well.statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dev/zero",
        "/dev/random",
        "/dev/tty",
        "/tmp/fifo",
        "/proc/self/mem",
        "/dev/ptmx"
      })
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void what_is_not_a_file_is_refused_and_blocks_nobody(String path) throws Exception {
    intruder.shell("user", "test -p /tmp/fifo || mkfifo /tmp/fifo");
    SandboxFiles files = intruder.files("user");
    try (InputStream in = files.read(path)) {
      // Whoever answers at all must not answer without end.
      assertThat(in.readNBytes(1 << 20)).hasSizeLessThan(1 << 20);
    } catch (CoveApiException e) {
      assertThat(e.status()).as(e.detail()).isBetween(400, 499);
    }
    CoveApiException refused = catchThrowableOfType(CoveApiException.class, () -> files.list(path));
    assertThat(refused.status()).isBetween(400, 499);
    intruder.assertUsable();
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void a_reader_that_leaves_frees_what_it_held() throws Exception {
    intruder.must("user", "truncate -s 100G /home/user/sparse");
    SandboxFiles files = intruder.files("user");
    assertThat(files.stat("/home/user/sparse").size()).isEqualTo(100L << 30);
    long before = HostView.openFiles(SERVER.pid());
    for (int i = 0; i < 30; i++) {
      try (InputStream in = files.read("/home/user/sparse")) {
        assertThat(in.readNBytes(100_000)).hasSize(100_000);
      }
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> HostView.openFiles(SERVER.pid()) <= before + 5);
    intruder.assertUsable();
    intruder.must("user", "rm /home/user/sparse");
  }

  @Test
  void watching_through_links_and_storms_reports_inner_changes_only() throws Exception {
    try (var canary = HostCanary.plant()) {
      SandboxFiles files = intruder.files("user");
      files.mkdir("/home/user/watched");
      files.symlink("/home/user/watched/out", canary.folder().toString());
      CoveApiException refused =
          catchThrowableOfType(
              CoveApiException.class, () -> files.watch("/home/user/watched/out", false).close());
      assertThat(refused.status()).isBetween(400, 499);

      try (var changes = files.watch("/home/user/watched", true)) {
        Files.setLastModifiedTime(canary.file(), Files.getLastModifiedTime(canary.file()));
        intruder
            .box()
            .exec(
                Command.shell(
                    "cd /home/user/watched; for i in $(seq 3000); do : > a; mv a b; mv b c; rm c;"
                        + " done; : > end"));
        boolean ended = false;
        for (int i = 0; i < 40_000 && !ended; i++) {
          var change = changes.next().orElseThrow();
          assertThat(change.path()).doesNotContain("canary");
          ended = change.kind().equals("overflow") || change.path().endsWith("/end");
        }
        assertThat(ended).isTrue();
      }
    }
    intruder.assertUsable();
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void watching_very_many_folders_ends_in_an_answer() {
    intruder.must(
        "user", "mkdir -p /home/user/many && cd /home/user/many && seq 20000 | xargs mkdir");
    try (var changes = intruder.files("user").watch("/home/user/many", true)) {
      intruder.must("user", "touch /home/user/many/1/new");
      assertThat(changes.next().orElseThrow().path()).startsWith("/home/user/many");
    } catch (CoveApiException e) {
      assertThat(e.status()).as(e.detail()).isBetween(400, 499);
    }
    intruder.assertUsable();
  }
}
