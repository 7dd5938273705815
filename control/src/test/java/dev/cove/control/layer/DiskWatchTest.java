package dev.cove.control.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.node.NodeDisk;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
  private static final long GIB = 1L << 30;

  @Test
  void a_disk_is_low_below_what_is_wanted_and_a_small_one_below_a_twentieth() {
    assertThat(DiskWatch.isLow(new NodeDisk.Space(100 * GIB, GIB), GIB)).isFalse();
    assertThat(DiskWatch.isLow(new NodeDisk.Space(100 * GIB, GIB - 1), GIB)).isTrue();
    assertThat(DiskWatch.isLow(new NodeDisk.Space(2 * GIB, GIB / 2), GIB)).isFalse();
    assertThat(DiskWatch.isLow(new NodeDisk.Space(2 * GIB, GIB / 16), GIB)).isTrue();
  }
}
