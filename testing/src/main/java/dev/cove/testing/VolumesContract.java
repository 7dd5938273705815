package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import dev.cove.model.VolumeMount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Volumes, which outlive the sandboxes that they are mounted in. */
abstract class VolumesContract extends EngineContract {
  private static final int SIZE_MB = 32;

  private VolumeId volume = VolumeId.random();

  @BeforeEach
  void makeVolume() {
    volume = VolumeId.random();
    store().createVolume(volume, SIZE_MB);
  }

  @AfterEach
  void removeAll() throws Exception {
    engine().present().forEach(engine()::remove);
    store().layers().forEach(store()::removeLayer);
    var volumes = List.copyOf(store().volumes());
    for (VolumeId each : volumes) {
      store().removeVolume(each);
    }
    assertThat(store().volumes()).isEmpty();
    for (VolumeId each : volumes) {
      HostTraces.eventually("no trace of the volume", () -> traces(each).isEmpty());
    }
  }

  private List<String> traces(VolumeId each) {
    try {
      return HostTraces.of(each.value(), home);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private VolumeMount writable() {
    return new VolumeMount(volume, "/data", false);
  }

  private VolumeMount readOnly() {
    return new VolumeMount(volume, "/data", true);
  }

  private Box with(VolumeMount... mounts) throws IOException {
    return with(root, mounts);
  }

  private Box with(RootFs on, VolumeMount... mounts) throws IOException {
    var plan = new CagePlan(SandboxId.random(), on, SMALL, List.of(mounts));
    return Box.of(engine().start(plan));
  }

  @Test
  void what_was_written_outlives_the_sandbox_with_owners_and_modes() throws Exception {
    try (var box = with(writable())) {
      assertThat(box.user("ls -A /data; stat -c '%u %g %a' /data")).isEqualTo("1000 1000 755");
      box.user("echo kept > /data/file; mkdir /data/deep; chmod 640 /data/file");
      box.root("echo root > /data/deep/file; chown 12:34 /data/deep/file");
    }
    try (var box = with(writable())) {
      assertThat(box.user("cat /data/file; stat -c '%u %g %a' /data/file /data/deep/file"))
          .isEqualTo("kept\n1000 1000 640\n12 34 644");
    }
  }

  @Test
  void many_read_it_at_once_and_nobody_of_them_can_write_not_even_root() throws Exception {
    try (var box = with(writable())) {
      box.user("echo shared > /data/file");
    }
    var readers = new ArrayList<Box>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Box> start = () -> with(readOnly());
      for (var started : threads.invokeAll(List.of(start, start, start, start))) {
        readers.add(started.get());
      }
      for (Box reader : readers) {
        assertThat(reader.user("cat /data/file")).isEqualTo("shared");
        assertThat(
                reader
                    .run(
                        "root",
                        "echo x > /data/file; rm -f /data/file; touch /data/new;"
                            + " mount -o remount,rw /data")
                    .output())
            .contains("Read-only file system")
            .contains("cannot remove")
            .contains("cannot touch");
        assertThat(reader.user("cat /data/file; ls /data")).isEqualTo("shared\nfile");
      }
      assertThat(HostTraces.loopDevicesOf(volume.value())).isEqualTo(1);
    } finally {
      readers.forEach(Box::close);
    }
  }

  @Test
  void its_size_is_a_hard_limit_for_everybody() throws Exception {
    try (var box = with(writable())) {
      for (String user : List.of("user", "root")) {
        String output =
            box.run(
                    user,
                    "head -c 100M /dev/zero > /data/%s; sync; du -m /data | cut -f1"
                        .formatted(user))
                .output();
        assertThat(output).contains("No space left");
        assertThat(Integer.parseInt(output.strip().lines().toList().getLast()))
            .isLessThanOrEqualTo(SIZE_MB);
      }
      box.root("rm /data/*; echo room > /data/again");
    }
    assertThat(store().volumeBytes(volume)).isLessThan(SIZE_MB << 20);
  }

  @Test
  void a_set_user_id_program_in_it_gives_nobody_anything() throws Exception {
    try (var box = with(writable())) {
      box.root("cp /usr/bin/id /data/id; chmod 4755 /data/id");
      assertThat(box.user("/data/id -u")).isEqualTo("1000");
    }
  }

  @Test
  void a_killed_sandbox_loses_nothing_that_it_had_flushed() throws Exception {
    try (var box = with(writable())) {
      box.user("echo flushed > /data/file; sync /data/file");
      ProcessHandle.of(HostTraces.agentOf(box.cage().id().value())).orElseThrow().destroyForcibly();
      box.cage().exit().join();
    }
    try (var box = with(readOnly())) {
      assertThat(box.user("cat /data/file")).isEqualTo("flushed");
    }
  }

  @Test
  void the_next_engine_finds_it_in_use_and_shares_it() throws Exception {
    var box = with(writable());
    SandboxId id = box.cage().id();
    box.user("echo before > /data/file");
    box.guest().close();
    subject().killHelpers(engine());
    engine().close();
    engine(subject().open(home));
    assertThat(store().volumes()).contains(volume);
    try (var adopted = Box.of(engine().adopt(id).orElseThrow());
        var reader = with(readOnly())) {
      adopted.user("echo after >> /data/file");
      assertThat(reader.user("cat /data/file")).isEqualTo("before\nafter");
      assertThat(HostTraces.loopDevicesOf(volume.value())).isEqualTo(1);
      Sealing sealing = adopted.cage().seal(LayerId.random(), true);
      assertThat(sealing.moved()).isFalse();
      assertThat(adopted.user("cat /data/file")).isEqualTo("before\nafter");
    }
  }

  @Test
  void a_layer_of_a_sandbox_has_the_folder_but_nothing_of_the_volume() throws Exception {
    var layer = LayerId.random();
    try (var box = with(writable())) {
      box.user("echo secret > /data/file");
      assertThat(box.cage().seal(layer, true).moved()).isFalse();
      box.user("echo goes on > /data/file");
    }
    try (var child = with(root.over(List.of(layer)))) {
      assertThat(child.root("ls -A /data; echo empty")).isEqualTo("empty");
    }
  }

  @Test
  void a_copy_is_of_one_moment_and_goes_its_own_way() throws Exception {
    VolumeId unused = VolumeId.random();
    VolumeId copy = VolumeId.random();
    store().copyVolume(volume, unused);
    try (var box = with(writable())) {
      box.user("echo one > /data/file");
      store().copyVolume(volume, copy);
      box.user("echo two > /data/file");
      try (var other = with(new VolumeMount(copy, "/copy", false))) {
        assertThat(other.user("cat /copy/file")).isEqualTo("one");
        other.user("echo three > /copy/file");
      }
      assertThat(box.user("cat /data/file")).isEqualTo("two");
    }
    try (var other = with(new VolumeMount(unused, "/copy", false))) {
      assertThat(other.user("ls -A /copy; echo empty")).isEqualTo("empty");
    }
    assertThatThrownBy(() -> store().copyVolume(VolumeId.random(), VolumeId.random()))
        .isInstanceOf(EngineException.class);
  }

  @Test
  void several_volumes_each_have_their_place_and_missing_folders_are_made() throws Exception {
    VolumeId other = VolumeId.random();
    store().createVolume(other, SIZE_MB);
    try (var box = with(writable(), new VolumeMount(other, "/srv/deep/in here", false))) {
      box.user("echo 1 > /data/x; echo 2 > '/srv/deep/in here/x'");
      assertThat(box.user("cat /data/x '/srv/deep/in here/x'")).isEqualTo("1\n2");
    }
  }

  @Test
  void a_target_that_leads_through_a_link_or_a_file_is_refused_and_nothing_is_left()
      throws Exception {
    var layer = LayerId.random();
    try (var box = box()) {
      box.root("ln -s /etc /data; mkdir /real; ln -s /etc /real/link; echo x > /file");
      box.cage().seal(layer, true);
    }
    var planted = root.over(List.of(layer));
    for (String target :
        List.of("/data", "/real/link/below", "/real/link", "/file/below", "/file")) {
      assertThatThrownBy(() -> with(planted, new VolumeMount(volume, target, false)))
          .isInstanceOfSatisfying(
              EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
          .hasMessageContaining(target);
      assertThat(engine().present()).isEmpty();
    }
  }

  @Test
  void a_volume_that_is_not_there_is_named_and_nothing_starts() {
    VolumeId missing = VolumeId.random();
    assertThatThrownBy(() -> with(new VolumeMount(missing, "/data", false)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining(missing.value());
    assertThat(engine().present()).isEmpty();
  }
}
