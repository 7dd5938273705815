package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FilesTest {
  private static final long GIBIBYTE = 1L << 30;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static Sandbox box;

  @BeforeAll
  static void create() {
    box = server.create();
  }

  @AfterAll
  static void delete() {
    box.close();
  }

  @Test
  void a_file_is_written_and_read_back() {
    FileInfo written = files().write("/home/user/hello.txt", "grüße\n");
    assertThat(written.path()).isEqualTo("/home/user/hello.txt");
    assertThat(written.size()).isEqualTo(8);
    assertThat(files().readString("/home/user/hello.txt")).isEqualTo("grüße\n");
    assertThat(box.exec("cat", "/home/user/hello.txt").stdout()).isEqualTo("grüße\n");
    files().write("/home/user/empty", new byte[0]);
    assertThat(files().readBytes("/home/user/empty")).isEmpty();
  }

  @Test
  void a_new_file_belongs_to_its_writer_and_has_the_mode_asked_for() {
    files().write("/home/user/tool", source("#!/bin/sh\necho made\n"), "0755", false);
    FileInfo info = files().stat("/home/user/tool");
    assertThat(info.mode()).isEqualTo("0755");
    assertThat(info.uid()).isEqualTo(1000);
    assertThat(box.exec("/home/user/tool").stdout()).isEqualTo("made\n");
    files().as("root").write("/root/secret", "of root");
    assertThat(files().as("root").stat("/root/secret").uid()).isZero();
    assertRefused(422, "guest_refused", () -> files().readString("/root/secret"));
    assertRefused(422, "guest_refused", () -> files().write("/etc/nope", "no"));
  }

  @Test
  void parts_of_a_file_can_be_read() throws IOException {
    byte[] bytes = SampleBytes.array(200_000);
    files().write("/home/user/parts", bytes);
    try (InputStream part = files().read("/home/user/parts", 70_000, 1_000)) {
      assertThat(part.readAllBytes()).isEqualTo(Arrays.copyOfRange(bytes, 70_000, 71_000));
    }
    try (InputStream beyond = files().read("/home/user/parts", 199_990, 1_000)) {
      assertThat(beyond.readAllBytes()).hasSize(10);
    }
  }

  @Test
  void folders_are_made_with_those_that_lead_there_and_listed_to_a_depth() {
    files().mkdir("/home/user/deep/er/est");
    files().write("/home/user/deep/a", "1");
    files().write("/home/user/deep/er/b", "2");
    assertThat(files().list("/home/user/deep"))
        .extracting(FileInfo::name)
        .containsExactlyInAnyOrder("a", "er");
    assertThat(files().list("/home/user/deep", 3, 100).items())
        .extracting(FileInfo::path)
        .containsExactlyInAnyOrder(
            "/home/user/deep/a",
            "/home/user/deep/er",
            "/home/user/deep/er/b",
            "/home/user/deep/er/est");
    var cut = files().list("/home/user/deep", 3, 2);
    assertThat(cut.items()).hasSize(2);
    assertThat(cut.truncated()).isTrue();
    files().write("/home/user/not/yet/there", source("x"), "0644", true);
    assertThat(files().exists("/home/user/not/yet/there")).isTrue();
  }

  @Test
  void files_are_described_links_followed_or_not() {
    files().write("/home/user/target", "12345");
    files().symlink("/home/user/link", "target");
    FileInfo followed = files().stat("/home/user/link");
    assertThat(followed.type()).isEqualTo(FileInfo.Type.FILE);
    assertThat(followed.size()).isEqualTo(5);
    assertThat(followed.modifiedAt())
        .isBetween(Instant.now().minus(Duration.ofMinutes(2)), Instant.now().plusSeconds(5));
    FileInfo link = files().statLink("/home/user/link");
    assertThat(link.type()).isEqualTo(FileInfo.Type.SYMLINK);
    assertThat(link.linkTarget()).contains("target");
    assertThat(files().stat("/home/user").type()).isEqualTo(FileInfo.Type.FOLDER);
    assertThat(files().stat("/dev/null").type()).isEqualTo(FileInfo.Type.OTHER);
    assertThat(files().readString("/home/user/link")).isEqualTo("12345");
  }

  @Test
  void a_file_moves_but_over_another_only_when_told_to() {
    files().write("/home/user/from", "new");
    files().write("/home/user/to", "old");
    assertRefused(409, "conflict", () -> files().move("/home/user/from", "/home/user/to", false));
    assertThat(files().readString("/home/user/to")).isEqualTo("old");
    files().move("/home/user/from", "/home/user/to", true);
    assertThat(files().readString("/home/user/to")).isEqualTo("new");
    assertThat(files().exists("/home/user/from")).isFalse();
  }

  @Test
  void modes_change() {
    files().write("/home/user/moded", "x");
    files().chmod("/home/user/moded", "0600");
    assertThat(files().stat("/home/user/moded").mode()).isEqualTo("0600");
  }

  @Test
  void files_and_trees_are_removed_and_a_full_folder_only_when_told_to() {
    files().mkdir("/home/user/tree/branch");
    files().write("/home/user/tree/branch/leaf", "x");
    assertThat(catchThrowable(() -> files().remove("/home/user/tree")))
        .isInstanceOf(CoveApiException.class);
    assertThat(files().exists("/home/user/tree/branch/leaf")).isTrue();
    files().remove("/home/user/tree/branch/leaf");
    files().removeTree("/home/user/tree");
    assertThat(files().exists("/home/user/tree")).isFalse();
    assertRefused(404, "not_found", () -> files().remove("/home/user/tree"));
  }

  @Test
  void a_file_that_is_not_there_is_not_found_by_any_verb() {
    String none = "/home/user/none/at/all";
    assertRefused(404, "not_found", () -> files().readBytes(none));
    assertRefused(404, "not_found", () -> files().stat(none));
    assertRefused(404, "not_found", () -> files().list(none));
    assertRefused(404, "not_found", () -> files().chmod(none, "0644"));
    assertRefused(404, "not_found", () -> files().move(none, none + "2", false));
    assertRefused(404, "not_found", () -> files().write(none, "no folder"));
    assertRefused(404, "not_found", () -> files().downloadArchive(none).close());
  }

  @Test
  void a_reader_sees_the_old_file_or_the_new_one_and_nothing_between() throws Exception {
    String path = "/home/user/replaced";
    byte[] a = "a".repeat(700_000).getBytes(StandardCharsets.US_ASCII);
    byte[] b = "b".repeat(900_000).getBytes(StandardCharsets.US_ASCII);
    files().write(path, a);
    var done = new AtomicBoolean();
    var reads = new AtomicLong();
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(
            () -> {
              while (!done.get()) {
                byte[] seen = files().readBytes(path);
                assertThat(seen).hasSize(seen[0] == 'a' ? a.length : b.length);
                assertThat(seen).containsOnly(seen[0]);
                reads.incrementAndGet();
              }
            },
            task -> Thread.ofPlatform().start(task));
    for (int i = 0; i < 40 && !reader.isDone(); i++) {
      files().write(path, i % 2 == 0 ? b : a);
    }
    done.set(true);
    reader.get(30, TimeUnit.SECONDS);
    assertThat(reads.get()).isPositive();
    assertThat(files().list("/home/user")).extracting(FileInfo::name).noneMatch(this::isLeftOver);
  }

  private boolean isLeftOver(String name) {
    return name.contains("replaced") && !name.equals("replaced");
  }

  @Test
  void an_upload_that_breaks_off_leaves_the_old_file() {
    files().write("/home/user/kept", "old and whole");
    InputStream breaking = new SequenceInputStream(SampleBytes.of(3 << 20), new BrokenInput());
    assertThat(catchThrowable(() -> files().write("/home/user/kept", breaking))).isNotNull();
    assertThat(files().readString("/home/user/kept")).isEqualTo("old and whole");
  }

  @Test
  void a_gibibyte_goes_up_and_down_while_the_servers_memory_stays_flat() throws Exception {
    try (Sandbox big = server.create()) {
      String expected = SampleBytes.checksum(SampleBytes.of(GIBIBYTE));
      long before = ProcessFigures.residentBytes(server.pid());
      try (var memory = new PeakMemory(server.pid())) {
        big.files().write("/home/user/big", SampleBytes.of(GIBIBYTE));
        assertThat(big.files().stat("/home/user/big").size()).isEqualTo(GIBIBYTE);
        try (InputStream down = big.files().read("/home/user/big")) {
          assertThat(SampleBytes.checksum(down)).isEqualTo(expected);
        }
        assertThat(memory.peak() - before)
            .as("growth of the server's memory")
            .isLessThan(160L << 20);
      }
    }
  }

  private static final class BrokenInput extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("the source broke");
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      throw new IOException("the source broke");
    }
  }

  private static SandboxFiles files() {
    return box.files();
  }

  private static InputStream source(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
