package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.Sealing;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Layers made of what sandboxes write, and sandboxes that stand on them. */
abstract class SealingContract extends EngineContract {
  private static final String WORKERS = "sleep 600 >/dev/null 2>&1 & echo $! > /tmp/worker";

  @AfterEach
  void removeLayers() {
    engine().present().forEach(engine()::remove);
    store().layers().forEach(store()::removeLayer);
    assertThat(store().layers()).isEmpty();
  }

  private Box on(List<LayerId> sealed) throws IOException {
    return Box.of(engine().start(new CagePlan(SandboxId.random(), root.over(sealed), SMALL)));
  }

  /** The stack that a new sandbox needs to see what the cage had when the layer was made. */
  private static List<LayerId> stack(Cage cage, LayerId layer, Sealing sealing) {
    List<LayerId> stack = new ArrayList<>(cage.root().sealed());
    if (!sealing.moved()) {
      stack.addFirst(layer);
    }
    return stack;
  }

  @Test
  void a_sandbox_on_a_layer_sees_what_the_other_had_written() throws Exception {
    var layer = LayerId.random();
    try (var parent = box()) {
      parent.root(
          "echo deep > /usr/share/new; rm /usr/bin/true; mkdir -p /var/a/b; chmod 751 /etc");
      parent.user("echo mine > /home/user/file; ln -s file /home/user/link");
      Sealing sealing = parent.cage().seal(layer, true);
      assertThat(sealing.moved()).isTrue();
      assertThat(sealing.bytes()).isPositive();
      assertThat(store().layers()).containsExactly(layer);
      try (var child = on(stack(parent.cage(), layer, sealing))) {
        assertThat(child.root("cat /usr/share/new")).isEqualTo("deep");
        assertThat(child.root("ls /usr/bin/true || echo none")).endsWith("none");
        assertThat(child.root("stat -c '%a %u' /etc /home/user/file")).isEqualTo("751 0\n644 1000");
        assertThat(child.user("cat /home/user/link")).isEqualTo("mine");
        assertThat(child.user("hostname; cat /etc/hostname"))
            .isEqualTo("%1$s\n%1$s".formatted(child.cage().id()));
        assertThat(child.user("cat /etc/machine-id"))
            .isNotEqualTo(parent.user("cat /etc/machine-id"));
      }
    }
  }

  @Test
  void the_sandbox_goes_on_and_what_it_writes_later_stays_its_own() throws Exception {
    var layer = LayerId.random();
    try (var parent = box()) {
      String before =
          parent.root("echo one > /tmp/file; echo old > /tmp/gone; cat /etc/machine-id");
      Sealing sealing = parent.cage().seal(layer, true);
      assertThat(parent.root("cat /tmp/file; cat /etc/machine-id")).isEqualTo("one\n" + before);
      parent.root("echo two > /tmp/file; rm /tmp/gone; echo x > /usr/share/later");
      assertThat(parent.root("mount | grep -c 'on /proc '; ls /dev/null /sys")).startsWith("1\n");
      try (var child = on(stack(parent.cage(), layer, sealing))) {
        assertThat(child.root("cat /tmp/file /tmp/gone; ls /usr/share/later || echo none"))
            .startsWith("one\nold\n")
            .endsWith("none");
        child.root("echo three > /tmp/file");
      }
      assertThat(parent.root("cat /tmp/file; ls /tmp/gone || echo none")).startsWith("two\n");
    }
  }

  @Test
  void a_sandbox_in_which_nothing_runs_changes_to_another_root_as_if_built_there()
      throws Exception {
    var layer = LayerId.random();
    try (var other = box();
        var box = box()) {
      other.root("echo theirs > /tmp/file; rm /usr/bin/true; mkdir -p /srv/deep");
      List<LayerId> target = stack(other.cage(), layer, other.cage().seal(layer, true));
      box.root("echo mine > /tmp/file; echo mine > /tmp/own; echo x > /usr/share/own");
      String agent = box.root("cut -d' ' -f22 /proc/1/stat");
      for (int i = 0; i < 2; i++) {
        assertThat(box.cage().change(root.over(target))).isTrue();
        assertThat(box.cage().root().sealed()).isEqualTo(target);
        assertThat(
                box.root(
                    "cat /tmp/file; ls /tmp;"
                        + " test ! -e /usr/share/own && test ! -e /usr/bin/true"))
            .isEqualTo("theirs\nfile");
        assertThat(box.user("hostname; cat /etc/hostname"))
            .isEqualTo("%1$s\n%1$s".formatted(box.cage().id()));
        assertThat(box.root("cat /etc/machine-id")).isNotEqualTo(other.root("cat /etc/machine-id"));
        assertThat(box.root("cut -d' ' -f22 /proc/1/stat; mount | grep -c ' /proc '"))
            .isEqualTo(agent + "\n1");
        box.root("rm -r /srv/deep; echo again > /tmp/file");
      }
      var next = LayerId.random();
      try (var child = on(stack(box.cage(), next, box.cage().seal(next, true)))) {
        assertThat(child.root("cat /tmp/file; ls /srv")).isEqualTo("again");
      }
    }
  }

  @Test
  void a_root_is_not_changed_under_a_program_or_beside_what_one_left_in_memory() throws Exception {
    for (String what :
        List.of(WORKERS, "echo x > /dev/shm/x", "ipcmk -M 4096", "ipcmk -S 1", "ipcmk -Q")) {
      try (var box = box()) {
        box.user(what);
        assertThat(box.cage().change(root)).as(what).isFalse();
      }
    }
  }

  @Test
  void while_programs_run_the_layer_is_a_copy_and_they_run_on() throws Exception {
    var layer = LayerId.random();
    try (var parent = box()) {
      parent.user("echo data > /tmp/file; " + WORKERS);
      Sealing sealing = parent.cage().seal(layer, true);
      assertThat(sealing.moved()).isFalse();
      assertThat(parent.user("kill -0 $(cat /tmp/worker) && echo runs")).isEqualTo("runs");
      parent.user("echo changed > /tmp/file");
      try (var child = on(stack(parent.cage(), layer, sealing))) {
        assertThat(child.user("cat /tmp/file")).isEqualTo("data");
      }
    }
  }

  @Test
  void layers_stack_and_deletions_hide_what_lies_deeper() throws Exception {
    try (var box = box()) {
      var layers = new ArrayList<List<LayerId>>();
      for (int i = 0; i < 5; i++) {
        box.root(
            "rm -rf /srv; mkdir /srv; echo %1$d > /srv/v; echo %1$d > /srv/only%1$d".formatted(i));
        var layer = LayerId.random();
        layers.add(stack(box.cage(), layer, box.cage().seal(layer, true)));
        assertThat(layers.getLast()).hasSize(i + 1);
      }
      for (int i = 0; i < 5; i++) {
        try (var child = on(layers.get(i))) {
          assertThat(child.root("cat /srv/v; ls /srv")).isEqualTo("%1$d\nonly%1$d\nv".formatted(i));
        }
      }
    }
  }

  @Test
  void a_sealed_sandbox_is_adopted_by_the_next_engine_and_sealed_again() throws Exception {
    var first = LayerId.random();
    var box = box();
    SandboxId id = box.cage().id();
    box.root("echo one > /tmp/a");
    box.cage().seal(first, true);
    box.root("echo two > /tmp/b");
    box.guest().close();
    subject().killHelpers(engine());
    engine().close();
    engine(subject().open(home));
    try (var adopted = Box.of(engine().adopt(id).orElseThrow())) {
      assertThat(adopted.cage().root().sealed()).containsExactly(first);
      var second = LayerId.random();
      Sealing sealing = adopted.cage().seal(second, true);
      try (var child = on(stack(adopted.cage(), second, sealing))) {
        assertThat(child.root("cat /tmp/a /tmp/b")).isEqualTo("one\ntwo");
      }
    }
  }

  @Test
  void the_limit_of_the_disk_holds_after_a_layer_was_made() throws Exception {
    try (var box = box()) {
      box.root("head -c 20M /dev/zero > /tmp/first");
      box.cage().seal(LayerId.random(), true);
      var outcome =
          box.run("root", "head -c 200M /dev/zero > /tmp/second; echo; stat -c %s /tmp/second");
      assertThat(outcome.output()).contains("No space left");
    }
  }

  @Test
  void many_sandboxes_stand_on_one_layer_and_do_not_meet() throws Exception {
    var layer = LayerId.random();
    try (var parent = box()) {
      parent.root("echo base > /tmp/file");
      List<LayerId> stack = stack(parent.cage(), layer, parent.cage().seal(layer, true));
      var children = new ArrayList<Box>();
      try {
        for (int i = 0; i < 8; i++) {
          children.add(on(stack));
        }
        for (int i = 0; i < 8; i++) {
          children.get(i).root("echo %d >> /tmp/file".formatted(i));
        }
        for (int i = 0; i < 8; i++) {
          assertThat(children.get(i).root("cat /tmp/file")).isEqualTo("base\n" + i);
        }
      } finally {
        children.forEach(Box::close);
      }
    }
  }

  @Test
  void a_layer_that_is_not_there_is_named_and_nothing_starts() {
    var missing = LayerId.random();
    assertThatThrownBy(() -> on(List.of(missing)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining(missing.value());
    assertThat(engine().present()).isEmpty();
  }
}
