package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.EngineException;
import dev.cove.engine.container.CgroupsV1.Controller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupLayoutTest {
  @TempDir Path folder;

  private static String v1(String controllers) {
    return "41 40 0:33 / /sys/fs/cgroup/%1$s rw,relatime shared:9 - cgroup cgroup rw,%1$s"
        .formatted(controllers);
  }

  private String v2(String controllers) throws IOException {
    Files.writeString(folder.resolve("cgroup.controllers"), controllers + "\n");
    return "42 40 0:34 / %s rw,nosuid - cgroup2 cgroup2 rw,nsdelegate".formatted(folder);
  }

  @Test
  void one_hierarchy_with_all_controllers_is_version_2() throws IOException {
    var layout = CgroupLayout.read(List.of(v2("cpuset cpu io memory hugetlb pids")));
    assertThat(layout.missing()).isEmpty();
    assertThat(layout.cgroups("cove-x")).isInstanceOf(CgroupsV2.class);
    assertThat(layout.cgroups("cove-x").groups()).containsExactly(folder.resolve("cove-x"));
  }

  @Test
  void controllers_on_version_1_beside_an_idle_version_2_are_used_there() throws IOException {
    var layout =
        CgroupLayout.read(
            List.of(
                v2(""), v1("memory"), v1("cpu,cpuacct"), v1("pids"), v1("freezer"), v1("blkio")));
    assertThat(layout.describe()).startsWith("hybrid");
    assertThat(layout.cgroups("cove-x").groups())
        .containsExactly(
            Path.of("/sys/fs/cgroup/cpu,cpuacct/cove-x"),
            Path.of("/sys/fs/cgroup/freezer/cove-x"),
            Path.of("/sys/fs/cgroup/memory/cove-x"),
            Path.of("/sys/fs/cgroup/pids/cove-x"));
    assertThat(layout.v1().get(Controller.CPU)).isEqualTo(layout.v1().get(Controller.CPUACCT));
  }

  @Test
  void a_missing_controller_is_named_and_nothing_is_built_without_it() throws IOException {
    var layout = CgroupLayout.read(List.of(v1("memory"), v1("cpu"), v1("cpuacct"), v1("freezer")));
    assertThat(layout.missing()).containsExactly("pids");
    assertThatThrownBy(() -> layout.cgroups("cove-x"))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("pids");
  }

  @Test
  void the_layout_of_this_machine_is_understood() {
    assertThat(CgroupLayout.read().missing()).isEmpty();
  }
}
