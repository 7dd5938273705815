package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.BackupOptions;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.Network;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.SecretBinding;
import dev.cove.sdk.TemplateBuild;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** All of a server in one file, and a server made of it again. */
class BackupTest {
  private static final String VALUE = "sk-live-c0ffee12345678";
  private static final String FILE = "/home/user/who";

  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("api.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(BackupTest::settings);

  @TempDir private Path folder;
  private static SecureWorld.Place api;

  private static Map<String, String> settings() {
    var settings = new java.util.HashMap<>(world.settings());
    settings.put("COVE_POOL_SIZE", "2");
    return settings;
  }

  @BeforeAll
  static void openTheWorld() throws Exception {
    api = world.echo("api.test", "127.77.9.1", 0);
  }

  @Test
  void what_was_acknowledged_before_a_backup_under_load_is_there_after_a_wipe_and_a_restore()
      throws Exception {
    Cove cove = server.cove();
    cove.secrets().set("API_KEY", VALUE);
    var key = cove.keys().create("from before");
    cove.volumes().create("notes", 32);
    cove.volumes().files("notes").write("/note", "kept in a volume");
    cove.templates()
        .build(TemplateBuild.from("host").name("web").run("echo -n made > /home/user/made"));
    Sandbox running =
        named(
            "running",
            CreateOptions.defaults()
                .network(Network.denying().allow("api.test"))
                .secret(SecretBinding.bearer("API_KEY", "api.test")));
    running.spawn(Command.shell("while :; do date >> /home/user/log; sleep 0.02; done"));
    Checkpoint point = running.checkpoint();
    running.files().write("/home/user/later", "after the checkpoint");
    Sandbox paused = named("paused", CreateOptions.defaults());
    paused.pause();
    Sandbox stopped = named("stopped", CreateOptions.defaults());
    stopped.stop();
    cove.projects().create("elsewhere");
    try (Cove elsewhere = Cove.connect(server.url(), server.key(), "elsewhere")) {
      var box = elsewhere.sandboxes().create(CreateOptions.defaults().name("tenant")).detach();
      box.files().write(FILE, "tenant");
    }
    damageOneCheckpoint();

    Path backup = folder.resolve("backup");
    try (var load = new Load()) {
      load.awaitRounds();
      Cli.of(server).run("backup", "--with-keys", backup.toString()).succeeded();
    }
    assertThat(Files.getPosixFilePermissions(backup))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));

    wipe();
    assertThat(restore("", backup.toString())).contains("Restored to").contains("stopped");
    server.start();

    assertThat(info("running").reason()).contains("restored");
    assertThat(info("paused").reason()).contains("restored");
    assertThat(info("stopped").reason()).contains("asked");
    Sandbox again = server.cove().sandboxes().require("running");
    assertThat(again.files().readString("/home/user/later")).isEqualTo("after the checkpoint");
    assertThat(again.exec("stat", "-c", "%s", "/home/user/log").stdout().strip()).isNotEqualTo("0");
    assertCallsWithSecret(again);
    assertThat(server.cove().checkpoints().files(point.id()).readString(FILE)).isEqualTo("running");
    assertThat(server.cove().checkpoints().list())
        .extracting(Checkpoint::name)
        .doesNotContain("damaged");
    assertThat(server.cove().volumes().files("notes").readString("/note"))
        .isEqualTo("kept in a volume");
    try (Sandbox made = server.create(CreateOptions.defaults().template("web"))) {
      assertThat(made.files().readString("/home/user/made")).isEqualTo("made");
    }
    assertWhole(server.cove());
    try (Cove elsewhere = Cove.connect(server.url(), server.key(), "elsewhere")) {
      assertThat(elsewhere.sandboxes().require("tenant").files().readString(FILE))
          .isEqualTo("tenant");
      elsewhere.sandboxes().delete("tenant");
    }
    try (Cove other = Cove.connect(server.url(), key.key())) {
      assertThat(other.sandboxes().list()).isNotEmpty();
    }
  }

  @Test
  void a_restore_that_is_refused_or_ended_in_its_midst_leaves_the_home_as_it_was()
      throws Exception {
    var _ = named("first", CreateOptions.defaults());
    server.cove().secrets().set("OTHER", VALUE);
    Path backup = folder.resolve("backup");
    try (OutputStream out = Files.newOutputStream(backup)) {
      server.cove().moves().backup(BackupOptions.defaults(), out);
    }
    byte[] vaultKey = Files.readAllBytes(data().resolve("secrets/vault.key"));
    assertThat(restoreFails(backup.toString())).contains("Another server");
    var _ = named("second", CreateOptions.defaults());
    server.stop();

    assertThat(restoreFails(backup.toString())).contains("--replace");
    Path cut = folder.resolve("cut");
    byte[] bytes = Files.readAllBytes(backup);
    bytes[bytes.length / 2] ^= 1;
    Files.write(cut, bytes);
    assertThat(restoreFails("--replace", cut.toString())).contains("digest is not the one");
    Files.writeString(cut, "something else");
    assertThat(restoreFails("--replace", cut.toString())).contains("no backup of Cove's");
    assertThat(names()).as("nothing was changed").contains("first", "second");

    restore("BACKUP_UNPACKED", "--replace", backup.toString());
    assertThat(names()).as("crashed before").contains("first", "second");
    restore("BACKUP_BESIDE", "--replace", backup.toString());
    assertThat(names()).as("crashed in the midst").contains("first", "second");

    assertThat(restore("", "--replace", backup.toString()))
        .contains("What was there before is in")
        .contains("taken without keys")
        .contains("vault.key");
    Process refused = server.launch().redirectErrorStream(true).start();
    String said = new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(refused.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(said).contains("vault.key").contains("gone");
    Files.write(data().resolve("secrets/vault.key"), vaultKey);
    Files.setPosixFilePermissions(
        data().resolve("secrets/vault.key"), PosixFilePermissions.fromString("rw-------"));
    server.start();
    assertThat(server.cove().sandboxes().list())
        .extracting(SandboxInfo::name)
        .contains("first")
        .doesNotContain("second");
    assertWhole(server.cove());
    assertThat(server.cove().secrets().list()).hasSizeGreaterThanOrEqualTo(1);
    removeOldHomes();
  }

  @Test
  void sandboxes_may_be_left_out() throws Exception {
    var _ = named("left out", CreateOptions.defaults());
    Path backup = folder.resolve("backup");
    try (OutputStream out = Files.newOutputStream(backup)) {
      server.cove().moves().backup(BackupOptions.defaults().withoutSandboxes().withKeys(), out);
    }
    wipe();
    assertThat(restore("", backup.toString())).contains("0 sandboxes");
    server.start();
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }

  @Test
  void the_ledger_alone_makes_a_server_that_names_nothing_it_does_not_have() throws Exception {
    Sandbox box = named("not in it", CreateOptions.defaults());
    box.checkpoint("nor this");
    server.cove().volumes().create("nor-that", 16);
    server.cove().projects().create("kept");
    Path backup = folder.resolve("backup");
    Cli.of(server).run("backup", "--only-ledger", "--with-keys", backup.toString()).succeeded();
    assertThat(Files.size(backup)).isLessThan(4L << 20);
    server.cove().projects().delete("kept");
    server.cove().volumes().list().forEach(one -> server.cove().volumes().delete(one.id()));
    wipe();
    assertThat(restore("", backup.toString())).contains("0 sandboxes");
    server.start();
    assertThat(server.cove().projects().require("kept").name()).isEqualTo("kept");
    assertThat(server.cove().sandboxes().list()).isEmpty();
    assertThat(server.cove().volumes().list()).isEmpty();
    assertThat(server.cove().events().list(EventQuery.all(), 1_000).items())
        .extracting(Event::type)
        .contains("checkpoint.created");
    assertThat(server.create().exec("echo", "new").stdout()).isEqualTo("new\n");
  }

  @Test
  void a_second_backup_at_once_is_refused_and_one_afterwards_is_not() throws Exception {
    Sandbox box = named("large", CreateOptions.defaults());
    box.exec("sh", "-c", "head -c 48M /dev/urandom > /home/user/large");
    try (var api = new RawApi(server)) {
      try (InputStream slow = api.stream("/api/v1/system/backup")) {
        assertThat(slow.read()).as("it has begun").isNotNegative();
        HttpResponse<String> second = api.get("/api/v1/system/backup?onlyLedger=true");
        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(second.body()).contains("Another backup is just being taken");
        assertThat(slow.readAllBytes().length).isGreaterThan(48 << 20);
      }
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(api.get("/api/v1/system/backup?onlyLedger=true").statusCode())
                  .isEqualTo(200));
    }
    box.delete();
  }

  /** Whatever is listed can be used: nothing names what is not there. */
  private static void assertWhole(Cove cove) {
    for (SandboxInfo box : cove.sandboxes().list()) {
      assertThat(box.state()).as(box.toJson()).isIn("stopped", "running");
      if (box.reason().equals(java.util.Optional.of("asked"))) {
        cove.sandboxes().require(box.id()).start();
      }
      assertThat(cove.sandboxes().require(box.id()).files().readString(FILE)).isEqualTo(box.name());
      cove.sandboxes().require(box.id()).stop();
    }
    for (Checkpoint point : cove.checkpoints().list()) {
      assertThat(cove.checkpoints().files(point.id()).readString(FILE)).isNotEmpty();
    }
  }

  private static Set<String> names() throws IOException {
    server.start();
    Set<String> names =
        server.cove().sandboxes().list().stream()
            .map(SandboxInfo::name)
            .collect(Collectors.toSet());
    server.stop();
    return names;
  }

  private static SandboxInfo info(String name) {
    return server.cove().sandboxes().require(name).info();
  }

  private static Sandbox named(String name, CreateOptions options) {
    Sandbox box = server.cove().sandboxes().create(options.name(name)).detach();
    box.files().write(FILE, name);
    return box;
  }

  private static void assertCallsWithSecret(Sandbox box) {
    String url = "https://api.test:%d/v1/me".formatted(api.port());
    var answer =
        box.exec(
            Command.shell("timeout 60 curl -sSi -H \"Authorization: Bearer $API_KEY\" " + url));
    assertThat(api.last()).as(answer.stdout() + answer.stderr()).contains("Bearer " + VALUE);
  }

  /** What needs it is left out of a backup, and nothing else. */
  private static void damageOneCheckpoint() throws IOException {
    Sandbox box = named("damaged", CreateOptions.defaults().diskMb(64));
    Checkpoint point = box.checkpoint("damaged");
    box.delete();
    Awaitility.await("its digest")
        .until(() -> server.cove().checkpoints().require(point.id()).digest().isPresent());
    Path newest;
    try (var files = Files.list(data().resolve("engine/sealed"))) {
      newest =
          files
              .filter(file -> !file.toString().endsWith(".layer"))
              .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
              .orElseThrow();
    }
    try (var image = FileChannel.open(newest, StandardOpenOption.WRITE)) {
      image.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), image.size() - 3);
    }
  }

  private static Path data() {
    return server.home().resolve("data");
  }

  private static void wipe() throws IOException {
    for (String project : List.of("default", "elsewhere")) {
      try (Cove cove = Cove.connect(server.url(), server.key(), project)) {
        cove.sandboxes().list().forEach(box -> cove.sandboxes().delete(box.id()));
      } catch (CoveException e) {
        assertThat(project).isEqualTo("elsewhere"); // not every test makes it
      }
    }
    server.stop();
    RunningServer.removeTree(data());
  }

  private static void removeOldHomes() throws IOException {
    try (var beside = Files.newDirectoryStream(server.home(), "data.*")) {
      for (Path old : beside) {
        RunningServer.removeTree(old);
      }
    }
  }

  private static String restoreFails(String... arguments) throws Exception {
    return restoring("", 1, arguments);
  }

  private static String restore(String failPoint, String... arguments) throws Exception {
    return restoring(failPoint, failPoint.isEmpty() ? 0 : FailPoint.EXIT_CODE, arguments);
  }

  private static String restoring(String failPoint, int expected, String... arguments)
      throws Exception {
    var command = new ArrayList<String>();
    ProcessBuilder launch = server.launch();
    int main = launch.command().indexOf("dev.cove.server.ServerMain");
    command.addAll(launch.command().subList(0, main));
    if (!failPoint.isEmpty()) {
      command.add("-Dcove.failPoint=" + failPoint);
    }
    command.add("dev.cove.server.RestoreMain");
    command.addAll(List.of(arguments));
    launch.command(command);
    Process process = launch.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isEqualTo(expected);
    assertThat(said).doesNotContain("\tat ");
    return said;
  }

  /** Creates, writes, checkpoints and deletes, round after round, until it is closed. */
  private static final class Load implements AutoCloseable {
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CountDownLatch rounds = new CountDownLatch(4);
    private final Set<String> failures = ConcurrentHashMap.newKeySet();
    private final java.util.concurrent.ExecutorService threads =
        Executors.newVirtualThreadPerTaskExecutor();

    Load() {
      for (int i = 0; i < 2; i++) {
        int number = i;
        var _ = threads.submit(() -> run(number));
      }
    }

    private void run(int number) {
      for (int round = 0; !ended.get(); round++) {
        try {
          Sandbox box = named("load-%d-%d".formatted(number, round), CreateOptions.defaults());
          Checkpoint point = box.checkpoint();
          if (round % 3 != 0) {
            server.cove().sandboxes().delete(box.id());
            server.cove().checkpoints().delete(point.id());
          }
          rounds.countDown();
        } catch (CoveException e) {
          failures.add(String.valueOf(e.getMessage()));
        }
      }
    }

    void awaitRounds() throws InterruptedException {
      assertThat(rounds.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
      ended.set(true);
      threads.close();
      assertThat(failures).isEmpty();
    }
  }
}
