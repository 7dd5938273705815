package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdRangesTest {
  private static final int BLOCK = 1_024;

  @TempDir Path folder;
  private Path claims;
  private Path home;
  private Path otherHome;

  @BeforeEach
  void makeHomes() throws IOException {
    claims = folder.resolve("claims");
    home = Files.createDirectory(folder.resolve("home"));
    otherHome = Files.createDirectory(folder.resolve("other"));
  }

  @Test
  void ranges_do_not_overlap_and_leave_the_host_s_own_ids_alone() {
    var ranges = IdRanges.of(claims, home);
    long first = Integer.toUnsignedLong(ranges.take());
    long second = Integer.toUnsignedLong(ranges.take());
    assertThat(first).isGreaterThanOrEqualTo(0x1000_0000L);
    assertThat(Math.abs(second - first)).isGreaterThanOrEqualTo(IdRanges.IDS_PER_SANDBOX);
  }

  @Test
  void two_homes_never_get_the_same_ids() {
    var ranges = IdRanges.of(claims, home);
    var others = IdRanges.of(claims, otherHome);
    var seen = new HashSet<Integer>();
    for (int i = 0; i < BLOCK + 10; i++) {
      assertThat(seen.add(ranges.take())).isTrue();
      assertThat(seen.add(others.take())).isTrue();
    }
  }

  @Test
  void a_range_is_used_again_only_after_all_others() {
    var ranges = IdRanges.of(claims, home);
    int first = ranges.take();
    ranges.release(first);
    for (int i = 1; i < BLOCK; i++) {
      assertThat(ranges.take()).isNotEqualTo(first);
    }
    assertThat(ranges.take()).isEqualTo(first);
  }

  @Test
  void a_range_in_use_since_an_earlier_process_is_not_given_out() {
    int old = IdRanges.of(claims, home).take();
    var ranges = IdRanges.of(claims, home);
    ranges.keep(old);
    for (int i = 0; i < BLOCK; i++) {
      assertThat(ranges.take()).isNotEqualTo(old);
    }
  }

  @Test
  void blocks_of_a_home_that_is_gone_are_taken_over() throws IOException {
    int old = IdRanges.of(claims, home).take();
    assertThat(IdRanges.of(claims, otherHome).take()).isNotEqualTo(old);

    Files.delete(home);
    Path third = Files.createDirectory(folder.resolve("third"));
    assertThat(IdRanges.of(claims, third).take()).isEqualTo(old);
  }

  @Test
  void blocks_that_are_given_back_can_be_had_by_others() {
    var ranges = IdRanges.of(claims, home);
    int first = ranges.take();
    ranges.release(first);
    ranges.releaseBlocks();
    assertThat(IdRanges.of(claims, otherHome).take()).isEqualTo(first);
  }
}
