package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nothing of one home touches another. */
class SideBySideTest {
  private static final Map<String, String> SMALL = Map.of("COVE_POOL_SIZE", "2");

  @RegisterExtension static final RunningServer left = RunningServer.with(SMALL);
  @RegisterExtension static final RunningServer right = RunningServer.with(SMALL);

  @Test
  void two_servers_with_different_homes_do_not_see_each_others_sandboxes() {
    try (Sandbox mine = left.create(CreateOptions.defaults().name("same name"));
        Sandbox yours = right.create(CreateOptions.defaults().name("same name"))) {
      assertThat(left.cove().sandboxes().list())
          .extracting(SandboxInfo::id)
          .containsExactly(mine.id());
      assertThat(right.cove().sandboxes().list())
          .extracting(SandboxInfo::id)
          .containsExactly(yours.id());
      assertThat(left.cove().sandboxes().find(yours.id())).isEmpty();
      assertThat(mine.exec("cat", "/etc/hostname").stdout().strip()).isEqualTo(mine.id());
      assertThat(yours.exec("cat", "/etc/hostname").stdout().strip()).isEqualTo(yours.id());
    }
  }

  @Test
  void the_key_of_one_server_does_not_open_the_other() {
    try (Cove stranger = Cove.connect(right.url(), left.key())) {
      assertRefused(401, "unauthenticated", () -> stranger.sandboxes().list());
    }
  }

  @Test
  void a_crash_and_recovery_of_one_server_leaves_the_other_alone() throws Exception {
    Sandbox mine = left.create().detach();
    Sandbox yours = right.create().detach();
    yours.files().write("/home/user/kept", "yours");
    left.kill();
    assertThat(yours.exec("cat", "/home/user/kept").stdout()).isEqualTo("yours");
    left.start();
    assertThat(yours.exec("cat", "/home/user/kept").stdout()).isEqualTo("yours");
    assertThat(left.cove().sandboxes().require(mine.id()).exec("true").exitCode()).isZero();
    left.cove().sandboxes().delete(mine.id());
    left.stop();
    left.start();
    assertThat(yours.exec("cat", "/home/user/kept").stdout()).isEqualTo("yours");
    yours.delete();
  }

  @Test
  void sandboxes_of_two_servers_have_different_ids_on_the_host() throws Exception {
    try (Sandbox mine = left.create();
        Sandbox yours = right.create()) {
      assertThat(rootOf(mine)).isNotEqualTo(rootOf(yours));
    }
  }

  /** The host's id of the sandbox's root. */
  private static String rootOf(Sandbox box) throws Exception {
    String map = Files.readString(Path.of("/proc/" + HostProcesses.agentOf(box.id()) + "/uid_map"));
    return map.strip().split("\\s+")[1];
  }

  @Test
  void a_second_server_in_the_same_home_refuses_to_start_and_says_why() throws Exception {
    try (Sandbox box = left.create()) {
      Process second = left.launch().redirectErrorStream(true).start();
      try {
        String said = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(said)
            .contains("Another server (pid " + left.pid() + ")")
            .contains(left.home().toString())
            .doesNotContain("Exception");
      } finally {
        second.destroyForcibly();
      }
      assertThat(box.exec("echo", "undisturbed").stdout()).isEqualTo("undisturbed\n");
      assertThat(left.url()).isEqualTo(left.cove().url());
    }
  }

  @Test
  void settings_that_make_no_sense_are_all_named_at_once() throws Exception {
    ProcessBuilder builder = left.launch().redirectErrorStream(true);
    builder.environment().put("COVE_MAX_SANDBOXES", "many");
    builder.environment().put("COVE_POOL_SIZE", "-1");
    builder.command().add("--colour");
    Process process = builder.start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(2);
      assertThat(said)
          .contains("COVE_MAX_SANDBOXES")
          .contains("COVE_POOL_SIZE")
          .contains("--colour")
          .doesNotContain("Exception");
    } finally {
      process.destroyForcibly();
    }
  }
}
