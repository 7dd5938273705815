package dev.cove.engine.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.container.Launcher;
import dev.cove.model.Resources;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class BundleTest {
  private static final Launcher.Wanted WANTED =
      new Launcher.Wanted("abc", 1 << 20, 4096, Resources.DEFAULT, 0x4fb, 0x5fb);

  @Test
  void the_agent_has_the_capabilities_of_every_agent_and_no_more() {
    var config = JsonMapper.shared().readTree(new Bundle(WANTED).text());
    assertThat(config.at("/process/capabilities/bounding").toString())
        .contains("CAP_SETPCAP", "CAP_CHOWN", "CAP_NET_BIND_SERVICE")
        .doesNotContain("CAP_SYS", "CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_MKNOD", "READ_SEARCH");
    assertThat(config.at("/process/noNewPrivileges").asBoolean()).isTrue();
    assertThat(config.at("/process/args/0").asString()).isEqualTo("/dev/cove/cove-agent");
    assertThat(config.at("/hostname").asString()).isEqualTo("abc");
  }

  @Test
  void nothing_of_the_host_is_mounted_but_the_root_and_our_own_commands() {
    var config = JsonMapper.shared().readTree(new Bundle(WANTED).text());
    for (var mount : config.at("/mounts")) {
      if (mount.at("/type").asString().equals("bind")) {
        assertThat(mount.at("/source").asString()).matches("/mnt/(rootfs/tmp|cove)");
      }
    }
    assertThat(config.at("/linux/namespaces").toString()).doesNotContain("network");
  }

  @Test
  void files_are_not_kept_back_in_memory_and_cgroups_are_ours() {
    assertThat(new Runsc(Path.of("/usr/bin/runsc"), "systrap", true).command("abc"))
        .contains("--file-access=shared", "--overlay2=none", "--ignore-cgroups", "--directfs=false")
        .endsWith("run", "--bundle=/mnt", "abc");
  }
}
