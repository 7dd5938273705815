package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that are deleted and kept for a while. */
class UndeleteTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path folder;
  private ControlPlane control;
  private Sandbox box;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    box = control.create("box");
  }

  @AfterEach
  void end() {
    control.close();
  }

  private List<Sandbox> deleted() {
    return control.lifecycle.listDeleted(Map.of(), 10, Optional.empty()).items();
  }

  private List<Sandbox> listed() {
    return control.lifecycle.list(Map.of(), 10, Optional.empty()).items();
  }

  private static void assertNotFound(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void what_is_kept_is_stopped_and_comes_back_under_its_name() {
    assertThat(control.lifecycle.delete("box", HOUR)).isPresent();
    assertThat(control.node.stopped).containsExactly(box.id());
    assertThat(listed()).isEmpty();
    assertThat(deleted()).extracting(Sandbox::id).containsExactly(box.id());
    assertNotFound(() -> control.lifecycle.guest("box"));
    assertNotFound(() -> control.lifecycle.start(box.id().value()));

    control.restart();
    assertThat(deleted()).extracting(Sandbox::id).containsExactly(box.id());
    Sandbox back = control.lifecycle.undelete("box");
    assertThat(back.spec().name()).isEqualTo("box");
    assertThat(back.state())
        .isInstanceOfSatisfying(
            SandboxState.Stopped.class,
            stopped -> assertThat(stopped.reason()).isEqualTo(StopReason.UNDELETED));
    assertThat(deleted()).isEmpty();
    control.lifecycle.guest("box");
    control.restart();
    assertThat(listed()).extracting(Sandbox::id).containsExactly(box.id());
    assertThat(control.node.running).containsOnlyKeys(box.id());
  }

  @Test
  void its_name_is_free_at_once_and_who_comes_back_too_late_is_called_by_its_id() {
    control.lifecycle.delete("box", HOUR);
    Sandbox other = control.create("box");
    Sandbox back = control.lifecycle.undelete(box.id().value());
    assertThat(back.spec().name()).isEqualTo(box.id().value());
    assertThat(control.lifecycle.require("box").id()).isEqualTo(other.id());
    control.restart();
    assertThat(control.lifecycle.require(box.id().value()).spec().name())
        .isEqualTo(box.id().value());
  }

  @Test
  void of_several_of_one_name_the_last_that_was_deleted_comes_back() {
    control.lifecycle.delete("box", HOUR);
    Sandbox second = control.create("box");
    control.lifecycle.delete("box", HOUR);
    assertThat(control.lifecycle.undelete("box").id()).isEqualTo(second.id());
    assertThat(deleted()).extracting(Sandbox::id).containsExactly(box.id());
  }

  @Test
  void when_its_time_is_over_it_is_gone_also_when_the_server_was_down_meanwhile() {
    Sandbox other = control.create("other");
    control.lifecycle.delete("box", HOUR);
    control.lifecycle.delete("other", HOUR.multipliedBy(3));
    try (LifeWatch watch = control.lifecycle.watchLives(0.03)) {
      long nanos = System.nanoTime();
      watch.look(nanos);
      watch.look(nanos + Duration.ofMinutes(59).toNanos());
      assertThat(deleted()).hasSize(2);
      watch.look(nanos + Duration.ofMinutes(61).toNanos());
      Awaitility.await().until(() -> deleted().size() == 1);
    }
    assertThat(control.node.stopped).containsExactly(other.id());
    control.clock.advance(HOUR.multipliedBy(4));
    control.restart();
    assertThat(deleted()).isEmpty();
    assertThat(control.node.stopped).isEmpty();
    assertThat(eventsOf("sandbox.removed")).isEqualTo(2);
    assertThat(eventsOf("sandbox.deleted")).isEqualTo(2);
  }

  private int eventsOf(String type) {
    return control.ledger.read(session ->
        session
            .query("select count(*) from event where type = ?", row -> row.getInt(1), type)
            .getFirst());
  }

  @Test
  void to_delete_twice_does_not_remove_for_good_and_to_say_so_does() {
    control.lifecycle.delete("box", HOUR);
    assertNotFound(() -> control.lifecycle.delete("box"));
    assertNotFound(() -> control.lifecycle.delete(box.id().value()));
    assertNotFound(() -> control.lifecycle.delete(box.id().value(), HOUR));
    control.lifecycle.purge("box");
    assertThat(deleted()).isEmpty();
    assertThat(control.node.stopped).isEmpty();
    assertNotFound(() -> control.lifecycle.undelete("box"));
  }

  @Test
  void what_the_server_keeps_by_itself_is_what_was_set() {
    control.kept = HOUR;
    control.restart();
    assertThat(control.lifecycle.delete("box")).isPresent();
    control.create("now");
    control.lifecycle.purge("now");
    assertThat(deleted()).extracting(Sandbox::id).containsExactly(box.id());
  }

  @Test
  void a_deleted_sandbox_that_could_not_be_stopped_is_stopped_a_moment_later() {
    control.node.removalsFail = true;
    control.lifecycle.delete("box", HOUR);
    control.node.removalsFail = false;
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> control.node.running.isEmpty());
    assertThat(control.lifecycle.undelete("box").id()).isEqualTo(box.id());
  }
}
