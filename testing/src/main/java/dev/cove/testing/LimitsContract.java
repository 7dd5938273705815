package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.Resources;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What holds a sandbox back, and that only it is held. */
abstract class LimitsContract extends EngineContract {
  private static final long MB = 1024L * 1024L;

  @Test
  void a_command_at_the_memory_limit_dies_and_nobody_else() throws Exception {
    try (var box = box(new Resources(2_000, 64, 64, 64));
        var neighbour = box()) {
      var outcome = box.run("user", "head -c 300M /dev/zero | tail | wc -c; echo after");
      assertThat(outcome.output()).endsWith("after\n");
      assertThat(outcome.output()).doesNotContain("314572800");
      assertThat(box.cage().usage().oomKills()).isPositive();
      assertThat(box.cage().exit()).isNotDone();
      assertThat(neighbour.cage().usage().oomKills()).isZero();
      assertThat(neighbour.user("head -c 100M /dev/zero | tail | wc -c")).isEqualTo("104857600");
    }
  }

  @Test
  void a_fork_bomb_stops_at_the_process_limit() throws Exception {
    try (var box = box(new Resources(2_000, 128, 64, 16));
        var neighbour = box()) {
      var bomb = box.run("user", "for i in $(seq 60); do sleep 60 & done; echo all");
      assertThat(bomb.output()).doesNotContain("all").containsIgnoringCase("fork");
      assertThat(box.cage().usage().processes()).isBetween(2, 16);
      assertThat(neighbour.user("for i in $(seq 30); do sleep 0 & done; wait; echo all"))
          .isEqualTo("all");
    }
  }

  @Test
  void a_full_disk_is_the_sandbox_s_own_matter() throws Exception {
    try (var box = box();
        var neighbour = box()) {
      assertThat(box.run("root", "head -c 200M /dev/zero > /var/big").output())
          .contains("No space left on device");
      var used = box.cage().usage();
      assertThat(used.disk().orElseThrow().usedBytes()).isBetween(40 * MB, 64 * MB);
      assertThat(box.run("root", "head -c 20M /dev/zero > /usr/big").output())
          .contains("No space left on device");
      assertThat(neighbour.root("head -c 20M /dev/zero > /var/big && echo fits")).isEqualTo("fits");

      box.root("rm /var/big");
      assertThat(box.root("head -c 20M /dev/zero > /var/big && echo fits")).isEqualTo("fits");
    }
  }

  @Test
  void files_beyond_the_inode_limit_are_refused() throws Exception {
    try (var box = box()) {
      long before = box.cage().usage().disk().orElseThrow().inodesUsed();
      String script =
          "cd /tmp; i=0; while [ $i -lt 20000 ] && : > f$i; do i=$((i+1)); done; echo $i";
      var outcome = box.run("user", script);
      assertThat(outcome.output()).contains("No space left on device");
      assertThat(box.cage().usage().disk().orElseThrow().inodesUsed())
          .isBetween(before + 1_000, before + 20_000);
      box.user("rm /tmp/f1 && touch /tmp/again");
    }
  }

  @Test
  void shared_memory_counts_and_is_limited() throws Exception {
    try (var box = box(new Resources(1_000, 64, 64, 64))) {
      assertThat(box.run("user", "head -c 200M /dev/zero > /dev/shm/big").exit().code())
          .isNotZero();
      assertThat(box.user("rm -f /dev/shm/big; echo small > /dev/shm/small; cat /dev/shm/small"))
          .isEqualTo("small");
    }
  }

  @Test
  void cpu_time_is_held_to_the_limit() throws Exception {
    try (var box = box(new Resources(250, 128, 64, 64))) {
      var before = box.cage().usage().cpu();
      long start = System.nanoTime();
      box.run("user", "timeout 2 sh -c 'while :; do :; done'");
      var elapsed = Duration.ofNanos(System.nanoTime() - start);
      var used = box.cage().usage().cpu().minus(before);
      assertThat(used).isPositive();
      assertThat(used.toMillis()).isLessThan(elapsed.toMillis() / 2);
    }
  }

  @Test
  void limits_change_while_a_sandbox_runs() throws Exception {
    try (var box = box(new Resources(1_000, 64, 64, 16))) {
      String many = "for i in $(seq 30); do sleep 1 & done; wait; echo all";
      assertThat(box.run("user", many).output()).doesNotContain("all");

      box.cage().limit(new Resources(2_000, 256, 64, 100));
      assertThat(box.user(many)).isEqualTo("all");
      assertThat(box.user("head -c 100M /dev/zero | tail | wc -c")).isEqualTo("104857600");

      box.cage().limit(new Resources(1_000, 64, 64, 16));
      assertThat(box.run("user", many).output()).doesNotContain("all");
    }
  }

  @Test
  void usage_is_measured_from_outside() throws Exception {
    try (var box = box()) {
      var before = box.cage().usage();
      box.user("head -c 8M /dev/urandom > /tmp/data; sync");
      var after = box.cage().usage();
      assertThat(after.cpu()).isGreaterThan(before.cpu());
      assertThat(after.memoryBytes()).isPositive();
      assertThat(after.memoryPeakBytes()).isGreaterThanOrEqualTo(before.memoryPeakBytes());
      assertThat(after.processes()).isEqualTo(1);
      assertThat(after.disk().orElseThrow().usedBytes() - before.disk().orElseThrow().usedBytes())
          .isBetween(8 * MB, 9 * MB);
      assertThat(after.disk().orElseThrow().inodesUsed())
          .isGreaterThan(before.disk().orElseThrow().inodesUsed());
    }
  }
}
