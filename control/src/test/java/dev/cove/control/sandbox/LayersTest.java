package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.layer.DiskUse;
import dev.cove.control.layer.LayerHolder;
import dev.cove.control.layer.Layers;
import dev.cove.model.LayerId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayersTest {
  @TempDir Path folder;
  private ControlPlane control;
  private Layers layers;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    layers = new Layers(control.node);
  }

  @AfterEach
  void stop() {
    control.close();
  }

  private record Shelf(String kind, Map<String, Set<LayerId>> holds) implements LayerHolder {}

  private LayerId layerOfNobody() {
    Sandbox box = control.create();
    LayerId layer = control.node.seal(box.id()).layers().getFirst();
    control.lifecycle.delete(box.id().value());
    return layer;
  }

  @Test
  void a_layer_stays_as_long_as_any_holder_needs_it() {
    LayerId kept = layerOfNobody();
    LayerId rubbish = layerOfNobody();
    layers.register(new Shelf("template", Map.of()));
    layers.register(new Shelf("volume", Map.of("v1", Set.of(kept))));
    layers.begin();
    assertThat(control.node.layers).containsExactly(kept).doesNotContain(rubbish);
  }

  @Test
  void nothing_is_collected_before_all_holders_are_known() {
    layerOfNobody();
    layers.collect();
    assertThat(control.node.layers).hasSize(1);
    layers.begin();
    assertThat(control.node.layers).isEmpty();
    assertThatThrownBy(() -> layers.register(new Shelf("template", Map.of())))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void the_disk_is_divided_among_all_who_need_it() {
    Sandbox box = control.create("box");
    List<LayerId> stack = List.of();
    for (int i = 0; i < 2; i++) {
      stack = control.node.seal(box.id()).layers();
    }
    LayerId older = stack.getLast();
    LayerId newer = stack.getFirst();
    layerOfNobody();
    layers.register(new Shelf("checkpoint", Map.of("c1", Set.of(older))));
    layers.register(new Shelf("template", Map.of()));
    DiskUse use = layers.use();
    long each = FakeNode.LAYER_BYTES;
    assertThat(use.layers()).isEqualTo(new DiskUse.Part(3, 3 * each));
    assertThat(use.unused()).isEqualTo(new DiskUse.Part(1, each));
    assertThat(use.shares())
        .containsExactly(
            new DiskUse.Share("checkpoint", "c1", each, 0),
            new DiskUse.Share("sandbox", box.id().value(), 100 + 2 * each, 100 + each));
    layers.begin();
    assertThat(layers.prune()).as("begin has collected already").isZero();
    assertThat(control.node.layers).containsExactlyInAnyOrder(older, newer);
    layerOfNobody();
    assertThat(layers.prune()).isEqualTo(each);
    assertThat(layers.use().unused()).isEqualTo(new DiskUse.Part(0, 0));
  }
}
