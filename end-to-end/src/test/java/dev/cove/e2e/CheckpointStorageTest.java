package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.DiskUse;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is on the server's disk: whether it is still what it was, and who needs it. */
class CheckpointStorageTest {
  private static final String FILE = "/home/user/work";
  private static final CreateOptions SMALL = CreateOptions.defaults().diskMb(64);
  private static final long MAX_IMAGE = 64 << 20;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private static Checkpoint checkpointOf(Sandbox box, String text) {
    box.files().write(FILE, text);
    Checkpoint made = box.checkpoint();
    return Awaitility.await()
        .until(
            () -> server.cove().checkpoints().require(made.id()),
            found -> found.digest().isPresent());
  }

  /** Changes the one image that has a text. */
  private static void damage(String text) throws IOException {
    int changed = 0;
    try (var files = Files.list(server.home().resolve("data/engine/sealed"))) {
      for (Path file : files.filter(f -> !f.toString().contains(".")).toList()) {
        int place = find(file, text);
        if (place >= 0) {
          try (var image = new RandomAccessFile(file.toFile(), "rw")) {
            image.seek(place);
            image.write('#');
          }
          changed++;
        }
      }
    }
    assertThat(changed).isEqualTo(1);
  }

  private static int find(Path file, String text) throws IOException {
    return Files.size(file) > MAX_IMAGE
        ? -1
        : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).indexOf(text);
  }

  @Test
  void a_damaged_checkpoint_is_refused_and_others_are_as_good_as_before() throws Exception {
    try (Sandbox box = server.create(SMALL);
        Sandbox other = server.create(SMALL)) {
      Checkpoint damaged = checkpointOf(box, "this text will be damaged");
      Checkpoint sound = checkpointOf(other, "this one stays");
      List<String> boxes = ids();
      int checkpoints = server.cove().checkpoints().list().size();
      damage("this text will be damaged");

      assertRefused(
          409,
          "layer_damaged",
          () ->
              server.cove().sandboxes().create(CreateOptions.defaults().checkpoint(damaged.id())));
      assertRefused(409, "layer_damaged", () -> other.restore(damaged.id()));
      assertRefused(409, "layer_damaged", box::checkpoint);
      assertThat(ids()).isEqualTo(boxes);
      assertThat(server.cove().checkpoints().list()).hasSize(checkpoints);
      assertThat(box.exec("echo", "lives").stdout()).isEqualTo("lives\n");
      assertThat(other.files().readString(FILE)).isEqualTo("this one stays");

      try (Sandbox child =
          server.cove().sandboxes().create(CreateOptions.defaults().checkpoint(sound.id()))) {
        assertThat(child.files().readString(FILE)).isEqualTo("this one stays");
      }
      server.cove().checkpoints().delete(damaged.id());
    }
  }

  private static List<String> ids() {
    return server.cove().sandboxes().list().stream().map(SandboxInfo::id).sorted().toList();
  }

  @Test
  void the_disk_tells_who_takes_what_and_gives_it_back() {
    Sandbox box = server.create();
    box.files().write(FILE, "x".repeat(3_000_000));
    Checkpoint first = box.checkpoint();
    Checkpoint second = box.checkpoint();
    DiskUse use = server.cove().disk();
    assertThat(use.freeBytes()).isBetween(1L, use.totalBytes());
    assertThat(share(use, first.id()).bytes()).isGreaterThan(3_000_000);
    assertThat(share(use, first.id()).ownBytes()).as("the sandbox stands on it").isZero();
    assertThat(share(use, second.id()).bytes()).isGreaterThan(share(use, first.id()).bytes());
    assertThat(share(use, box.id()).ownBytes()).isBetween(1L, 3_000_000L);
    box.close();
    use = server.cove().disk();
    assertThat(share(use, second.id()).ownBytes()).isPositive().isLessThan(3_000_000);
    server.cove().checkpoints().delete(second.id());
    assertThat(share(server.cove().disk(), first.id()).ownBytes()).isGreaterThan(3_000_000);
    server.cove().checkpoints().delete(first.id());
    server.cove().prune();
    assertThat(server.cove().disk().unused().count()).isZero();
  }

  @Test
  void a_chain_of_checkpoints_survives_the_loss_of_any_of_its_members() {
    var random = new Random(20);
    var expected = new TreeMap<String, String>();
    long before = server.cove().disk().layers().bytes();
    Sandbox box = server.create(SMALL);
    for (int i = 0; i < 20; i++) {
      box.files().write(FILE, "state " + i);
      box.files().write(FILE + i, "x".repeat(50_000));
      expected.put(box.checkpoint().id(), i + " " + (i + 1));
      if (i % 5 == 4) { // goes on in another sandbox, and its parent ends
        Sandbox child = box.fork(1).getFirst().sandbox();
        box.close();
        box = child;
      }
    }
    box.close();
    List<String> order = new ArrayList<>(expected.keySet());
    Collections.shuffle(order, random);
    for (String gone : order) {
      server.cove().checkpoints().delete(gone);
      expected.remove(gone);
      Optional<String> some = expected.keySet().stream().skip(expected.size() / 2).findFirst();
      if (some.isPresent()) {
        assertThat(stateOf(some.get())).isEqualTo(expected.get(some.get()));
      }
    }
    Awaitility.await()
        .untilAsserted(
            () -> assertThat(server.cove().disk().layers().bytes()).isLessThanOrEqualTo(before));
  }

  /** The number that was written last, and how many files there are beside it. */
  private static String stateOf(String checkpoint) {
    try (Sandbox child =
        server.cove().sandboxes().create(CreateOptions.defaults().checkpoint(checkpoint))) {
      return child
          .exec("sh", "-c", "echo $(sed 's/state //' " + FILE + ") $(ls " + FILE + "?* | wc -l)")
          .stdout()
          .strip();
    }
  }

  private static DiskUse.Item share(DiskUse use, String id) {
    return use.items().stream().filter(item -> item.id().equals(id)).findFirst().orElseThrow();
  }

  @Test
  void the_command_line_shows_the_disk() throws Exception {
    try (Sandbox box = server.create()) {
      var cli = Cli.of(server);
      assertThat(cli.run("system", "df").succeeded().stdout())
          .contains("KIND", "sandbox", box.id(), " free");
      JsonNode json =
          JsonMapper.shared().readTree(cli.run("system", "df", "--json").succeeded().stdout());
      assertThat(json.get("freeBytes").asLong()).isPositive();
      cli.run("system", "prune").succeeded(); // what other tests have built
      assertThat(cli.run("system", "prune").succeeded().stdout()).isEqualTo("0B\n");
      assertThat(cli.run("system", "prune", "--json").succeeded().stdout())
          .isEqualTo("{\"freedBytes\":0}\n");
    }
  }
}
