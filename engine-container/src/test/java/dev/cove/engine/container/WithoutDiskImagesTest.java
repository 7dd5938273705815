package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import dev.cove.testing.HostRoot;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where loop devices do not work, or are not wanted. */
class WithoutDiskImagesTest {
  @TempDir Path folder;

  @Test
  void sandboxes_run_on_plain_folders_and_the_report_says_what_is_missing() throws Exception {
    var home = new EngineHome(folder.resolve("data"), folder.resolve("run"));
    var root = HostRoot.in(folder.resolve("root"));
    try (var engine = ContainerEngine.open(home, new EngineSettings(0, 0, true, false))) {
      assertThat(engine.report().usable()).isTrue();
      assertThat(engine.report().enforcesDiskLimits()).isFalse();
      assertThat(engine.report().findings())
          .anyMatch(f -> f.subject().equals("disk limits") && f.severity() == Severity.WARNING);

      var plan = new CagePlan(SandboxId.random(), root, new Resources(1_000, 128, 16, 64));
      try (var box = Box.of(engine.start(plan))) {
        box.root("head -c 20M /dev/zero > /var/more-than-the-limit; touch /usr/own");
        assertThat(box.user("stat -c %u /usr/own")).isEqualTo("0");
        assertThat(box.cage().usage().disk()).isEmpty();
      }
      assertThat(home.sandboxes()).isEmptyDirectory();
    }
  }
}
