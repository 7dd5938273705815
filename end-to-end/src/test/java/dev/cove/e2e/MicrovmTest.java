package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.sdk.Boundary;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TierInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sandboxes that are virtual machines, from the front door. */
class MicrovmTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  private static TemplateCalls templates;

  @BeforeAll
  static void makeTemplate() throws Exception {
    TierInfo tier =
        server.cove().tiers().stream()
            .filter(each -> each.tier().equals("microvm"))
            .findFirst()
            .orElseThrow();
    assumeTrue(tier.usable(), () -> "No machines here: " + tier.obstacles().orElse(""));
    templates = new TemplateCalls(server);
    var image =
        new TestImage()
            .layer(
                new TestImage.Layer()
                    .folder("bin")
                    .file("bin/say", StaticProgram.bytes(), 0755)
                    .folder("etc")
                    .file("etc/passwd", "root:x:0:0::/root:/bin/say\n")
                    .folder("srv"))
            .user("root")
            .cwd("/srv");
    assertThat(templates.fromArchive("name=small", image.ociArchive()).statusCode())
        .isLessThan(300);
  }

  @AfterAll
  static void close() throws Exception {
    if (templates != null) {
      templates.close();
    }
  }

  private static CreateOptions machine() {
    return CreateOptions.defaults().template("small").tier("microvm");
  }

  private static String say(Sandbox box, String word) {
    return box.exec(Command.of("/bin/say", word).user("root").cwd("/")).stdout();
  }

  @Test
  void a_machine_runs_commands_keeps_files_and_says_what_it_is() {
    try (Sandbox box = server.create(machine())) {
      assertThat(box.info().tier()).isEqualTo("microvm");
      Boundary boundary = box.info().boundary().orElseThrow();
      assertThat(boundary.kernel()).isEqualTo("own");
      assertThat(boundary.by())
          .startsWith("QEMU")
          .contains(boundary.hardware() ? "hardware" : "emulated");
      assertThat(say(box, "hi")).startsWith("uid=0 cwd=/ ").endsWith("args=hi\n");
      assertThat(box.files().readString("/proc/version")).contains("cloud");
      box.files().write("/srv/note", "kept");
      box.stop();
      box.start();
      assertThat(box.files().readString("/srv/note")).isEqualTo("kept");
      box.pause();
      assertThat(box.files().readString("/srv/note")).as("a call wakes it").isEqualTo("kept");
    }
  }

  @Test
  void forks_begin_where_a_machine_is_and_other_tiers_refuse_its_checkpoints() {
    try (Sandbox box = server.create(machine())) {
      box.files().write("/srv/state", "before");
      String point = box.checkpoint("ready").id();
      box.files().write("/srv/state", "after");
      try (Sandbox fork =
          server.create(CreateOptions.defaults().checkpoint(point).tier("microvm"))) {
        assertThat(fork.info().tier()).isEqualTo("microvm");
        assertThat(fork.files().readString("/srv/state")).isEqualTo("before");
      }
      assertRefused(
          422,
          "unsupported",
          () -> server.create(CreateOptions.defaults().checkpoint(point).tier("container")));
      assertThat(box.files().readString("/srv/state")).isEqualTo("after");
      server.cove().checkpoints().delete(point);
    }
  }

  @Test
  void a_machine_outlives_the_server() throws Exception {
    Sandbox box = server.create(machine());
    box.files().write("/srv/note", "there");
    server.kill();
    server.start();
    Sandbox again = server.cove().sandboxes().require(box.id());
    assertThat(again.info().state()).isEqualTo("running");
    assertThat(again.files().readString("/srv/note")).isEqualTo("there");
    assertThat(say(again, "on")).contains("args=on");
    again.delete();
  }
}
