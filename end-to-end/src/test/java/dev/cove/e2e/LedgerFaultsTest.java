package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What becomes of a server whose ledger, or whose disk, cannot be used for a while. */
class LedgerFaultsTest {
  private static final HomeDisk DISK = HomeDisk.of("2G");

  @RegisterExtension
  static final RunningServer SERVER =
      RunningServer.on(DISK, Map.of("COVE_DISK_RESERVE_MB", "64", "COVE_POOL_SIZE", "0"));

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init") // set before every test
  private RawApi api;

  @BeforeEach
  void connect() {
    api = new RawApi(SERVER);
  }

  @AfterEach
  void disconnect() {
    api.close();
  }

  @Test
  void a_ledger_that_another_program_has_locked_is_told_of_and_used_again_when_it_lets_go()
      throws Exception {
    Process holder = holdLock();
    try {
      HttpResponse<String> refused = makeKey();
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(RawApi.parse(refused).path("code").asString()).isEqualTo("unavailable");
      assertUnready("ledger", "another program holds its lock");
      assertThat(Cli.of(SERVER).doctor().stdout())
          .containsPattern("warning +server's ledger +.*another program holds its lock")
          .containsPattern("ok +server's node +Well");
    } finally {
      holder.getOutputStream().close();
      holder.waitFor(10, TimeUnit.SECONDS);
      holder.destroyForcibly();
    }
    assertRecovers();
    assertThat(linesOfLog("another program holds its lock")).isLessThanOrEqualTo(4);
  }

  /** As a program of its own would, say one that looks into the file. */
  private static Process holdLock() throws IOException {
    var python =
        new ProcessBuilder(
                "python3",
                "-c",
                "import sqlite3, sys\n"
                    + "ledger = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                    + "ledger.execute('begin immediate')\n"
                    + "print('held', flush=True)\n"
                    + "sys.stdin.read()\n",
                ledger().toString())
            .start();
    assertThat(python.inputReader().readLine()).isEqualTo("held");
    return python;
  }

  @Test
  void a_ledger_that_cannot_be_written_is_told_of_and_used_again_when_it_can() throws Exception {
    for (String file : new String[] {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) {
      HomeDisk.run("chattr", "+i", data().resolve(file).toString());
    }
    try {
      assertThat(makeKey().statusCode()).isEqualTo(503);
      HttpResponse<String> refused = makeKey();
      assertThat(refused.statusCode()).isEqualTo(503);
      assertUnready("ledger", "The ledger cannot be used");
      assertThat(api.get("/api/v1/sandboxes").statusCode()).isEqualTo(200);
      assertThat(api.get("/healthz").statusCode()).isEqualTo(200);
    } finally {
      for (String file : new String[] {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) {
        HomeDisk.run("chattr", "-i", data().resolve(file).toString());
      }
    }
    assertRecovers();
  }

  @Test
  void a_full_disk_is_told_of_and_everything_goes_on_when_there_is_room_again() throws Exception {
    var box = SERVER.create();
    DISK.fill();
    try {
      HttpResponse<String> made = api.post("/api/v1/sandboxes", "{}");
      assertThat(made.statusCode()).isEqualTo(503);
      assertUnready("disk", "MB are left on the disk");
      Awaitility.await("the ledger to find no room")
          .atMost(PATIENCE)
          .until(() -> makeKey().statusCode() == 503);
      assertUnready("ledger", "the disk is full");
      assertThat(box.exec("echo", "runs").stdout()).isEqualTo("runs\n");
      assertThat(Cli.of(SERVER).run("system", "status"))
          .satisfies(status -> {
            assertThat(status.exitCode()).isEqualTo(1);
            assertThat(status.stdout()).contains("the disk is full").contains("MB are left");
          });
    } finally {
      DISK.free();
    }
    assertRecovers();
    assertThat(api.post("/api/v1/sandboxes", "{}").statusCode()).isEqualTo(201);
    assertThat(Cli.of(SERVER).run("system", "status").succeeded().stdout()).contains("ledger");
  }

  @Test
  void a_damaged_ledger_is_told_of_refused_at_the_start_and_never_made_anew() throws Exception {
    SERVER.stop();
    byte[] whole = Files.readAllBytes(ledger());
    SERVER.start();
    spoil();
    Awaitility.await("the damage to be met")
        .atMost(PATIENCE)
        .until(() -> api.get("/api/v1/events?limit=1000").statusCode() == 503);
    assertUnready("ledger", "restore-backup");
    SERVER.kill();
    byte[] damaged = Files.readAllBytes(ledger());

    Process refused = SERVER.launch().redirectErrorStream(true).start();
    String said = new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(refused.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(refused.exitValue()).as(said).isEqualTo(1);
    assertThat(said).contains("damaged").contains("cove restore-backup").doesNotContain("\tat ");
    assertThat(Files.readAllBytes(ledger())).isEqualTo(damaged);

    for (String beside : new String[] {"ledger.db-wal", "ledger.db-shm"}) {
      Files.deleteIfExists(data().resolve(beside));
    }
    Files.write(ledger(), whole);
    SERVER.start();
    assertThat(new RawApi(SERVER).get("/readyz").statusCode()).isEqualTo(200);
  }

  /** All pages but the first. */
  private static void spoil() throws IOException {
    try (var file = FileChannel.open(ledger(), StandardOpenOption.WRITE)) {
      byte[] rubbish = new byte[(int) file.size() - 4_096];
      java.util.Arrays.fill(rubbish, (byte) 0xa5);
      file.write(ByteBuffer.wrap(rubbish), 4_096);
    }
  }

  private HttpResponse<String> makeKey() throws Exception {
    return api.post("/api/v1/keys", "{\"name\":\"one more\"}");
  }

  private void assertUnready(String part, String why) throws Exception {
    HttpResponse<String> answer = api.getWithoutKey("/readyz");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    JsonNode parts = RawApi.parse(answer).path("parts");
    assertThat(parts.valueStream().filter(one -> one.path("name").asString().equals(part)))
        .singleElement()
        .satisfies(one -> {
          assertThat(one.path("status").asString()).isEqualTo("failing");
          assertThat(one.path("detail").asString()).contains(why);
        });
  }

  private void assertRecovers() {
    Awaitility.await("the server to be ready again")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(api.get("/readyz").statusCode()).isEqualTo(200));
    Awaitility.await("keys to be made again")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(makeKey().statusCode()).isEqualTo(201));
  }

  private static long linesOfLog(String text) throws IOException {
    return Files.readAllLines(SERVER.log()).stream().filter(line -> line.contains(text)).count();
  }

  private static Path data() {
    return SERVER.home().resolve("data");
  }

  private static Path ledger() {
    return data().resolve("ledger.db");
  }
}
