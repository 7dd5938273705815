package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.DiskUse;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Volume;
import dev.cove.sdk.VolumeFiles;
import dev.cove.sdk.Volumes;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that outlive the sandboxes that use them. */
class VolumesTest {
  private static final int SIZE_MB = 32;
  private static final String UNKNOWN = "v0000000000000000000";

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @AfterEach
  void removeVolumes() throws Exception {
    for (Volume volume : volumes().list()) {
      volumes().checkpoints(volume.id()).forEach(one -> volumes().delete(one.id()));
      volumes().delete(volume.id());
    }
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
    try (var images = Files.list(server.home().resolve("data/engine/volumes"))) {
      assertThat(images).as("images of volumes that are gone").isEmpty();
    }
  }

  private static Volumes volumes() {
    return server.cove().volumes();
  }

  private static CreateOptions with(String volume) {
    return CreateOptions.defaults().volume(volume, "/data");
  }

  private static CreateOptions reading(String volume) {
    return CreateOptions.defaults().volume(volume, "/data", true);
  }

  private static String shell(Sandbox box, String script) {
    var result = box.exec("sh", "-c", "exec 2>&1\n" + script);
    return result.stdout().strip();
  }

  @Test
  void a_volume_says_what_it_is() {
    Volume made = volumes().create("notes", SIZE_MB);
    assertThat(made.id()).matches("v[a-z0-9]{19}");
    assertThat(made.kind()).isEqualTo("volume");
    assertThat(made.name()).contains("notes");
    assertThat(made.sizeMb()).isEqualTo(SIZE_MB);
    assertThat(made.bytes()).isBetween(1L, (long) SIZE_MB << 20);
    assertThat(made.parent()).isEmpty();
    assertThat(made.mountedBy()).isEmpty();
    assertThat(volumes().require("notes").id()).isEqualTo(made.id());
    assertThat(volumes().require(made.id()).name()).contains("notes");
    assertThat(volumes().list()).extracting(Volume::id).containsExactly(made.id());
    try (Sandbox box = server.create(with("notes"))) {
      assertThat(volumes().require("notes").mountedBy()).containsExactly(box.id());
    }
    assertThat(volumes().require("notes").mountedBy()).isEmpty();
  }

  @Test
  void what_a_sandbox_wrote_is_there_for_the_next_one() {
    volumes().create("kept", SIZE_MB);
    try (Sandbox box = server.create(with("kept"))) {
      box.files().write("/data/file", "from the first");
    }
    try (Sandbox box = server.create(with("kept"))) {
      assertThat(box.files().readString("/data/file")).isEqualTo("from the first");
      assertThat(shell(box, "echo more >> /data/file && tail -1 /data/file")).endsWith("more");
    }
  }

  @Test
  void one_writes_or_many_read_and_whoever_has_it_is_named() {
    volumes().create("shared", SIZE_MB);
    try (Sandbox writer = server.create(with("shared"))) {
      writer.files().write("/data/file", "x");
      for (CreateOptions wish : List.of(with("shared"), reading("shared"))) {
        assertRefused(409, "conflict", () -> server.create(wish));
        assertThat(messageOf(() -> server.create(wish))).contains(writer.id());
      }
      assertRefused(409, "conflict", () -> volumes().delete("shared"));
      assertRefused(409, "conflict", () -> volumes().files("shared").readString("/file"));
    }
    var readers = new ArrayList<Sandbox>();
    try {
      for (int i = 0; i < 3; i++) {
        readers.add(server.create(reading("shared")));
      }
      for (Sandbox reader : readers) {
        assertThat(reader.files().readString("/data/file")).isEqualTo("x");
        assertThat(
                reader
                    .exec(
                        Command.shell("echo y > /data/file; rm /data/file; cat /data/file")
                            .user("root"))
                    .stdout())
            .isEqualTo("x");
      }
      assertThat(volumes().files("shared").readString("/file")).isEqualTo("x");
      assertRefused(409, "conflict", () -> server.create(with("shared")));
      assertRefused(409, "conflict", () -> volumes().files("shared").write("/file", "z"));
      assertRefused(409, "conflict", () -> volumes().delete("shared"));
    } finally {
      readers.forEach(Sandbox::close);
    }
    server.create(with("shared")).close();
  }

  private static String messageOf(Runnable call) {
    try {
      call.run();
      return "";
    } catch (CoveApiException e) {
      return e.detail();
    }
  }

  @Test
  void a_sandbox_that_could_not_be_made_leaves_the_volume_free() {
    volumes().create("free", SIZE_MB);
    try (Sandbox _ = server.create(CreateOptions.defaults().name("taken"))) {
      assertRefused(409, "conflict", () -> server.create(with("free").name("taken")));
    }
    assertRefused(
        422,
        "unsupported",
        () -> server.create(CreateOptions.defaults().volume("free", "/etc/hosts")));
    assertThat(volumes().require("free").mountedBy()).isEmpty();
    server.create(with("free")).close();
  }

  @Test
  void its_size_is_a_hard_limit() {
    volumes().create("small", 16);
    try (Sandbox box = server.create(with("small"))) {
      assertThat(shell(box, "head -c 50M /dev/zero > /data/big")).contains("No space left");
      assertThat(shell(box, "head -c 20M /dev/zero > /tmp/big && echo fine")).isEqualTo("fine");
    }
    assertThat(volumes().require("small").bytes()).isLessThanOrEqualTo(16 << 20);
  }

  @Test
  void its_files_are_read_and_written_without_a_sandbox() {
    volumes().create("filed", SIZE_MB);
    VolumeFiles files = volumes().files("filed");
    files.mkdir("/deep/folder");
    FileInfo written = files.write("/deep/folder/file", "by the API");
    assertThat(written.path()).isEqualTo("/deep/folder/file");
    assertThat(written.uid()).isEqualTo(1000);
    assertThat(files.list("/")).extracting(FileInfo::path).containsExactly("/deep");
    assertThat(files.stat("/deep/folder/file").size()).isEqualTo(10);
    files.move("/deep/folder/file", "/file", false);
    files.chmod("/file", "0600");
    try (Sandbox box = server.create(with("filed"))) {
      assertThat(shell(box, "cat /data/file; stat -c %a /data/file; echo inside > /data/new"))
          .isEqualTo("by the API600");
    }
    assertThat(files.readString("/new")).isEqualTo("inside\n");
    files.removeTree("/deep");
    files.remove("/new");
    assertThat(files.list("/")).extracting(FileInfo::path).containsExactly("/file");
    assertRefused(404, "not_found", () -> files.readString("/new"));
    assertRefused(400, "invalid_request", () -> files.readString("/../etc/hostname"));
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }

  @Test
  void links_in_a_volume_lead_the_files_api_nowhere() {
    volumes().create("hostile", SIZE_MB);
    try (Sandbox box = server.create(with("hostile"))) {
      shell(
          box,
          "ln -s /etc/passwd /data/passwd; ln -s ../../../.. /data/up; ln -s /proc/1/root /data/root");
    }
    VolumeFiles files = volumes().files("hostile");
    for (VolumeFiles each : List.of(files, files.as("root"))) {
      assertRefused(404, "not_found", () -> each.readString("/passwd"));
      assertRefused(404, "not_found", () -> each.readString("/up/etc/passwd"));
      assertRefused(422, "guest_refused", () -> each.readString("/root/etc/passwd"));
      assertRefused(
          404, "not_found", () -> each.readString("/up" + server.home() + "/data/local.key"));
    }
    assertThat(files.statLink("/passwd").type()).isEqualTo(FileInfo.Type.SYMLINK);
  }

  @Test
  void a_target_behind_a_planted_link_is_refused() {
    volumes().create("aimed", SIZE_MB);
    Checkpoint planted;
    try (Sandbox box = server.create()) {
      shell(box, "ln -s /etc /home/user/link");
      planted = box.checkpoint();
    }
    for (String target : List.of("/home/user/link", "/home/user/link/x")) {
      var wish = CreateOptions.defaults().checkpoint(planted.id()).volume("aimed", target);
      assertRefused(422, "unsupported", () -> server.create(wish));
    }
    assertThat(server.cove().sandboxes().list()).isEmpty();
    try (Sandbox box =
        server.create(
            CreateOptions.defaults().checkpoint(planted.id()).volume("aimed", "/home/user/ok"))) {
      assertThat(shell(box, "touch /home/user/ok/x && ls /home/user/ok")).isEqualTo("x");
    }
  }

  @Test
  void it_shows_in_the_use_of_the_disk_with_what_it_really_takes() throws Exception {
    Volume volume = volumes().create("shown", 256);
    long empty = share(volume.id()).bytes();
    assertThat(empty).isBetween(1L, 64L << 20);
    volumes().files("shown").write("/file", new ByteArrayInputStream(SampleBytes.array(3_000_000)));
    Volume checkpoint = volumes().checkpoint("shown");
    assertThat(share(volume.id()).bytes()).isGreaterThan(empty + 2_000_000);
    assertThat(share(checkpoint.id()).ownBytes()).isGreaterThan(empty + 2_000_000);
    volumes().delete(checkpoint.id());
    assertThat(server.cove().disk().items())
        .extracting(DiskUse.Item::id)
        .doesNotContain(checkpoint.id());
    String shown = Cli.of(server).run("system", "df").succeeded().stdout();
    assertThat(shown).containsPattern("volume +" + volume.id());
  }

  private static DiskUse.Item share(String id) {
    return server.cove().disk().items().stream()
        .filter(item -> item.kind().equals("volume") && item.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data",
        "/",
        "",
        "/data/",
        "/a/../b",
        "/./a",
        "//a",
        "/proc",
        "/proc/x",
        "/sys/a",
        "/dev/shm",
        "/a\u0000b",
        "/a\nb"
      })
  void a_target_that_makes_no_sense_is_refused(String target) {
    volumes().create("aimed", SIZE_MB);
    assertRefused(
        400,
        "invalid_request",
        () -> server.create(CreateOptions.defaults().volume("aimed", target)));
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }

  @Test
  void what_cannot_be_together_is_refused() {
    volumes().create("one", SIZE_MB);
    volumes().create("two", SIZE_MB);
    for (CreateOptions wish :
        List.of(
            with("one").volume("two", "/data"),
            with("one").volume("two", "/data/below"),
            with("one").volume("one", "/other"),
            nine())) {
      assertRefused(400, "invalid_request", () -> server.create(wish));
    }
    try (Sandbox box = server.create(with("one").volume("two", "/data2"))) {
      assertThat(shell(box, "touch /data/1 /data2/2; ls /data /data2"))
          .isEqualTo("/data:\n1\n\n/data2:\n2");
    }
  }

  private static CreateOptions nine() {
    CreateOptions wish = CreateOptions.defaults();
    for (int i = 0; i < 9; i++) {
      wish = wish.volume("one", "/data" + i);
    }
    return wish;
  }

  @Test
  void bad_wishes_are_refused() {
    volumes().create("there", SIZE_MB);
    assertRefused(409, "conflict", () -> volumes().create("there", SIZE_MB));
    for (String name : List.of("", " ", "a b", "a:b", "../x", "-x", "x".repeat(64), UNKNOWN)) {
      assertRefused(400, "invalid_request", () -> volumes().create(name, SIZE_MB));
    }
    for (int size : List.of(-1, 0, 15, 16_777_217)) {
      assertRefused(400, "invalid_request", () -> volumes().create("other", size));
    }
    for (String missing : List.of(UNKNOWN, "nobody")) {
      assertRefused(404, "not_found", () -> volumes().require(missing));
      assertRefused(404, "not_found", () -> volumes().delete(missing));
      assertRefused(404, "not_found", () -> volumes().fork(missing, "other"));
      assertRefused(404, "not_found", () -> volumes().checkpoint(missing));
      assertRefused(404, "not_found", () -> volumes().checkpoints(missing));
      assertRefused(404, "not_found", () -> volumes().files(missing).list("/"));
      assertRefused(404, "not_found", () -> server.create(with(missing)));
    }
    assertThat(volumes().list()).hasSize(1);
  }

  @Test
  void a_fork_begins_with_what_there_was_and_goes_its_own_way() {
    volumes().create("first", SIZE_MB);
    volumes().files("first").write("/file", "common");
    Volume second = volumes().fork("first", "second");
    assertThat(second.parent()).contains(volumes().require("first").id());
    volumes().files("first").write("/file", "changed");
    try (Sandbox box = server.create(with("second"))) {
      assertThat(box.files().readString("/data/file")).isEqualTo("common");
    }
    volumes().delete("first");
    assertThat(volumes().files("second").readString("/file")).isEqualTo("common");
  }

  @Test
  void a_checkpoint_is_taken_while_a_sandbox_writes_and_never_changes() {
    Volume volume = volumes().create("busy", SIZE_MB);
    Volume kept;
    try (Sandbox box = server.create(with("busy"))) {
      box.files().write("/data/file", "then");
      kept = volumes().checkpoint("busy");
      box.files().write("/data/file", "now");
      assertThat(box.files().readString("/data/file")).isEqualTo("now");
    }
    assertThat(kept.kind()).isEqualTo("checkpoint");
    assertThat(kept.name()).isEmpty();
    assertThat(kept.parent()).contains(volume.id());
    assertThat(volumes().checkpoints("busy")).extracting(Volume::id).containsExactly(kept.id());
    assertThat(volumes().list()).extracting(Volume::id).containsExactly(volume.id());
    try (Sandbox box = server.create(reading(kept.id()))) {
      assertThat(box.files().readString("/data/file")).isEqualTo("then");
    }
    assertRefused(409, "conflict", () -> server.create(with(kept.id())));
    assertRefused(409, "conflict", () -> volumes().files(kept.id()).write("/file", "x"));
    assertRefused(409, "conflict", () -> volumes().checkpoint(kept.id()));
    volumes().fork(kept.id(), "back");
    assertThat(volumes().files("back").readString("/file")).isEqualTo("then");
  }

  @Test
  void a_restore_of_a_sandbox_leaves_its_volume_and_a_fork_has_none() {
    volumes().create("apart", SIZE_MB);
    try (Sandbox box = server.create(with("apart"))) {
      box.files().write("/home/user/file", "old");
      box.files().write("/data/file", "old");
      Checkpoint kept = box.checkpoint();
      box.files().write("/home/user/file", "new");
      box.files().write("/data/file", "new");
      box.restore(kept.id());
      assertThat(box.files().readString("/home/user/file")).isEqualTo("old");
      assertThat(box.files().readString("/data/file")).isEqualTo("new");
      try (Sandbox child = box.fork(1).getFirst().sandbox()) {
        assertThat(child.files().readString("/home/user/file")).isEqualTo("old");
        assertThat(child.files().list("/data")).isEmpty();
      }
    }
  }

  @Test
  void the_command_line_does_it_all() throws Exception {
    Cli cli = Cli.of(server);
    String id = cli.run("volume", "create", "notes", "--size", "32M").succeeded().stdout().strip();
    assertThat(volumes().require("notes").id()).isEqualTo(id);
    cli.run("run", "--volume", "notes:/data", "--", "sh", "-c", "echo log > /data/log").succeeded();
    assertThat(cli.run("volume", "cp", "notes:/log", "-").succeeded().stdout()).isEqualTo("log\n");
    var input = new ByteArrayInputStream("piped".getBytes(StandardCharsets.UTF_8));
    cli.pipe(input, "volume", "cp", "-", "notes:/piped").succeeded();
    var read =
        cli.run("run", "--volume=notes:/data:ro", "--", "sh", "-c", "cat /data/piped; rm /data/*");
    assertThat(read.stdout()).isEqualTo("piped");
    assertThat(read.exitCode()).isNotZero();
    String kept = cli.run("volume", "checkpoint", "notes").succeeded().stdout().strip();
    cli.run("volume", "fork", kept, "copy").succeeded();
    assertThat(cli.run("volume", "ls").succeeded().stdout()).contains("notes", "copy", "32");
    assertThat(cli.run("volume", "ls", "notes", "--json").succeeded().stdout()).contains(kept);
    assertThat(cli.run("volume", "inspect", "notes").succeeded().stdout()).contains(id);
    assertThat(cli.run("run", "--volume", "notes", "--", "true").stderr()).contains("NAME:/path");
    var removal = cli.run("volume", "rm", "nobody", "copy", kept, "notes");
    assertThat(removal.exitCode()).isEqualTo(1);
    assertThat(removal.stderr()).startsWith("cove: nobody: ").hasLineCount(1);
    assertThat(volumes().list()).isEmpty();
  }
}
