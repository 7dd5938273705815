package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.SandboxFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Taking all the memory and all the disk. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MemoryAndDiskTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final long MIB = 1024L * 1024;
  private static final int DISK_MB = 128;
  private static final Duration LONG = Duration.ofSeconds(90);

  @SuppressWarnings("NullAway.Init") // set before every test
  private Bystander bystander;

  @SuppressWarnings("NullAway.Init") // set before every test
  private Intruder intruder;

  @BeforeEach
  void start() {
    bystander = Bystander.in(SERVER.cove());
    intruder = Intruder.in(SERVER.cove(), CreateOptions.defaults().memoryMb(128).diskMb(DISK_MB));
  }

  @AfterEach
  void end() {
    intruder.close();
    bystander.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_memory_bomb_is_killed_and_reported_as_that(String user) throws Exception {
    String bomb = "blocks = [bytearray(1 << 20) for _ in range(%d)]";
    ExecResult small = intruder.run(user, "python3", "-c", bomb.formatted(32));
    assertThat(small.exitCode()).isZero();
    assertThat(small.exit().oomKilled()).isFalse();

    bystander.unharmedBy(() -> {
      ExecResult large = intruder.run(user, "python3", "-c", bomb.formatted(4096));
      assertThat(large.exit().signal()).contains("SIGKILL");
      assertThat(large.exit().oomKilled()).isTrue();
    });

    assertThat(intruder.box().metrics().oomKills()).isPositive();
    assertThat(intruder.box().metrics().memory().peakBytes()).isLessThanOrEqualTo(128 * MIB);
    intruder.assertUsable();
  }

  @Test
  void memory_in_files_pipes_and_locks_counts_as_well() throws Exception {
    bystander.unharmedBy(() -> {
      String shared = "dd if=/dev/zero of=/dev/shm/fill bs=1M count=1024 2>&1";
      ExecResult inShm = intruder.shell("user", shared);
      assertThat(inShm.exitCode()).as(inShm.stdout()).isNotZero();
      intruder.shell("user", "rm -f /dev/shm/fill");
      intruder.assertUsable();

      String hidden =
          """
          import os
          fd = os.memfd_create("x")
          block = bytes(1 << 20)
          for _ in range(1024):
              os.write(fd, block)
          """;
      ExecResult inMemory = intruder.run("user", "python3", "-c", hidden);
      assertThat(inMemory.exit().oomKilled() || inMemory.exitCode() != 0).isTrue();
      intruder.assertUsable();

      String locked =
          """
          import ctypes, mmap
          libc = ctypes.CDLL(None, use_errno=True)
          area = mmap.mmap(-1, 64 << 20)
          address = ctypes.addressof(ctypes.c_char.from_buffer(area))
          print(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(1 << 20)))
          print(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(64 << 20)))
          """;
      ExecResult lock = intruder.run("user", "python3", "-c", locked);
      assertThat(lock.stdout()).isEqualTo("0\n-1\n");
    });
    assertThat(intruder.box().metrics().memory().peakBytes()).isLessThanOrEqualTo(128 * MIB);
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void filling_the_disk_ends_in_no_space_inside_and_the_host_keeps_its_own(String user)
      throws Exception {
    long free = hostFree();
    bystander.unharmedBy(() -> {
      ExecResult fill =
          intruder
              .box()
              .exec(
                  Command.shell("dd if=/dev/zero of=/tmp/fill bs=1M count=1024")
                      .user(user)
                      .timeout(LONG));
      assertThat(fill.exitCode()).isNotZero();
      assertThat(fill.stderr()).contains("No space left on device");
    });
    assertThat(free - hostFree()).isLessThan((DISK_MB + 64) * MIB);
    assertThat(intruder.box().metrics().disk().usedBytes())
        .isLessThanOrEqualTo(intruder.box().metrics().disk().limitBytes());

    // The server's own ledger lives on the host's disk and takes new entries.
    try (var another = SERVER.cove().sandboxes().create()) {
      assertThat(another.exec("true").exitCode()).isZero();
    }
    intruder.must(user, "rm /tmp/fill");
    intruder.must(user, "echo room > /tmp/again");
  }

  @Test
  void an_upload_larger_than_the_disk_is_refused_and_leaves_nothing() {
    SandboxFiles files = intruder.files("user");
    try {
      files.write("/home/user/large", zeros(1024 * MIB));
      throw new AssertionError("1 GiB went into a disk of 128 MiB");
    } catch (CoveApiException e) {
      assertThat(e.status()).as(e.detail()).isIn(413, 422, 507);
    }
    assertThat(intruder.must("user", "ls -A /home/user")).doesNotContain("large");
    files.write("/home/user/small", "fits");
    assertThat(files.readString("/home/user/small")).isEqualTo("fits");
  }

  private static InputStream zeros(long count) {
    return new InputStream() {
      private long left = count;

      @Override
      public int read() {
        return left-- > 0 ? 0 : -1;
      }

      @Override
      public int read(byte[] target, int offset, int length) {
        if (left <= 0) {
          return -1;
        }
        int n = (int) Math.min(left, length);
        left -= n;
        return n;
      }
    };
  }

  @Test
  void small_files_run_out_of_inodes_inside_and_not_on_the_host() throws Exception {
    String trees = intruder.install("trees");
    long limit = intruder.box().metrics().disk().inodesLimit();
    assertThat(limit).isPositive();
    bystander.unharmedBy(() -> {
      ExecResult result =
          intruder
              .box()
              .exec(
                  Command.shell("mkdir /tmp/wide && cd /tmp/wide && " + trees + " wide 1000000")
                      .timeout(LONG));
      assertThat(result.stderr()).contains("No space left on device");
    });
    assertThat(intruder.box().metrics().disk().inodesUsed()).isLessThanOrEqualTo(limit);
    SandboxFiles.Listing listing = intruder.files("user").list("/tmp/wide", 1, 1000);
    assertThat(listing.items()).hasSize(1000);
    assertThat(listing.truncated()).isTrue();
    bystander.unharmedBy(intruder::close);
  }

  @Test
  void a_tree_of_ten_thousand_levels_can_be_listed_and_removed() throws Exception {
    try (Intruder deep = Intruder.in(SERVER.cove())) {
      String trees = deep.install("trees");
      assertThat(deep.must("user", "mkdir /tmp/deep && cd /tmp/deep && " + trees + " deep 10000"))
          .isEqualTo("made 10000");

      bystander.unharmedBy(() -> {
        assertThat(deep.files("user").list("/tmp/deep", 16, 1000).items()).hasSize(16);
        deep.files("user").removeTree("/tmp/deep");
      });
      assertThat(deep.files("user").exists("/tmp/deep")).isFalse();
      // And once more, for the sandbox's own removal.
      deep.must("user", "mkdir /tmp/deep && cd /tmp/deep && " + trees + " deep 10000");
      deep.assertUsable();
    }
  }

  @Test
  void a_tree_deeper_than_a_path_may_be_long_can_be_packed() throws Exception {
    String trees = intruder.install("trees");
    intruder.must("user", "mkdir /tmp/deep && cd /tmp/deep && " + trees + " deep 2500");
    bystander.unharmedBy(() -> {
      try (InputStream packed = intruder.files("user").downloadArchive("/tmp/deep")) {
        assertThat(packed.readAllBytes()).isNotEmpty();
      }
    });
    intruder.assertUsable();
  }

  @Test
  void a_hundred_thousand_files_can_be_listed_in_part_and_removed() throws Exception {
    Intruder wide = Intruder.in(SERVER.cove(), CreateOptions.defaults().diskMb(2048));
    try (wide) {
      String trees = wide.install("trees");
      bystander.unharmedBy(() -> {
        wide.box()
            .exec(
                Command.shell("mkdir /tmp/wide && cd /tmp/wide && " + trees + " wide 100000")
                    .timeout(LONG));
        SandboxFiles.Listing part = wide.files("user").list("/tmp/wide", 1, 500);
        assertThat(part.items()).hasSize(500);
        assertThat(part.truncated()).isTrue();
        wide.files("user").removeTree("/tmp/wide");
      });
      assertThat(wide.files("user").exists("/tmp/wide")).isFalse();
    }
  }

  private static long hostFree() throws IOException {
    FileStore store = Files.getFileStore(SERVER.home());
    return store.getUsableSpace();
  }
}
