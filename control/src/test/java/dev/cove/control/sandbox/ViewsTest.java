package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.layer.Layers;
import dev.cove.control.view.View;
import dev.cove.control.view.Views;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ViewsTest {
  private final FakeNode node = new FakeNode();
  private final Layers layers = new Layers(node);
  private final Views views = new Views(node, layers, Duration.ofMillis(200));

  @AfterEach
  void stop() {
    views.close();
    assertThat(node.shown).isEmpty();
  }

  private View open(LayerId layer) {
    return views.open(Base.HOST, List.of(layer));
  }

  @Test
  void whoever_looks_at_the_same_layers_shares_a_cage_which_goes_after_a_while() {
    LayerId layer = LayerId.random();
    try (View one = open(layer);
        View other = open(layer)) {
      assertThat(one).isNotSameAs(other);
      assertThat(node.shown).hasSize(1);
    }
    open(layer).close();
    assertThat(node.starts).hasValue(1);
    Awaitility.await("the cage to go").until(node.shown::isEmpty);
    open(layer).close();
    assertThat(node.starts).hasValue(2);
  }

  @Test
  void a_cage_stays_while_somebody_looks_at_it() throws Exception {
    try (View _ = open(LayerId.random())) {
      Thread.sleep(500);
      assertThat(node.shown).hasSize(1);
    }
  }

  @Test
  void pruning_does_not_spare_a_cage_for_somebody_who_may_come_again() {
    layers.begin();
    try (View _ = open(LayerId.random())) {
      open(LayerId.random()).close();
      layers.prune();
      assertThat(node.shown).hasSize(1);
    }
  }

  @Test
  void layers_alone_and_over_their_base_are_not_the_same_view() {
    List<LayerId> layers = List.of(LayerId.random());
    try (View _ = views.open(Base.HOST, layers);
        View _ = views.openAlone(Base.HOST, layers)) {
      assertThat(node.shown).hasSize(2);
    }
  }

  @Test
  void the_one_used_longest_ago_makes_way_and_one_in_use_never_does() {
    var open = new ArrayList<View>();
    for (int i = 0; i < Views.MOST - 1; i++) {
      open.add(open(LayerId.random()));
    }
    open(LayerId.random()).close();
    open.add(open(LayerId.random()));
    assertThat(node.shown).hasSize(Views.MOST);
    assertThatThrownBy(() -> open(LayerId.random()))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("try again");
    assertThat(node.shown).hasSize(Views.MOST);
    open.removeFirst().close();
    open.add(open(LayerId.random()));
    open.forEach(View::close);
  }

  @Test
  void a_cage_that_cannot_be_built_is_no_obstacle_to_the_next_try() {
    LayerId layer = LayerId.random();
    node.startsFail = true;
    assertThatThrownBy(() -> open(layer)).isInstanceOf(CoveException.class);
    node.startsFail = false;
    open(layer).close();
    assertThat(node.shown).hasSize(1);
  }

  @Test
  void a_cage_that_ended_by_itself_is_built_again() {
    LayerId layer = LayerId.random();
    open(layer).close();
    node.shown.clear();
    open(layer).close();
    assertThat(node.starts).hasValue(2);
  }
}
