package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

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

  @Test
  void a_paused_sandbox_says_so_and_is_woken_by_whoever_uses_it() {
    assertThat(control.lifecycle.pause("box").state()).isInstanceOf(SandboxState.Paused.class);
    assertThat(control.node.paused).containsExactly(box.id());
    assertThat(control.lifecycle.pause("box").state()).isInstanceOf(SandboxState.Paused.class);

    control.lifecycle.metrics("box");
    control.lifecycle.relabel("box", Map.of());
    assertThat(state()).isInstanceOf(SandboxState.Paused.class);

    control.lifecycle.guest("box");
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.paused).isEmpty();
    assertThat(control.lifecycle.resume("box").state()).isInstanceOf(SandboxState.Running.class);
  }

  @Test
  void of_many_who_use_it_at_once_one_wakes_it() throws Exception {
    control.lifecycle.pause("box");
    together(50, () -> control.lifecycle.guest("box"));
    assertThat(control.node.resumes).hasValue(1);
  }

  @Test
  void of_many_who_use_a_stopped_one_at_once_one_starts_it() throws Exception {
    control.lifecycle.stop("box", StopReason.SHUT_DOWN, Duration.ZERO);
    int before = control.node.starts.get();
    together(50, () -> control.lifecycle.guest("box"));
    assertThat(control.node.starts).hasValue(before + 1);
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
  }

  private static void together(int many, Runnable work) throws Exception {
    List<Future<?>> all = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < many; i++) {
        all.add(threads.submit(work));
      }
    }
    for (Future<?> one : all) {
      one.get();
    }
  }

  @Test
  void who_waits_at_the_link_of_a_paused_sandbox_wakes_it() {
    control.lifecycle.pause("box");
    control.node.wanted.accept(box.id());
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
  }

  @Test
  void a_pause_that_fails_leaves_it_running() {
    control.node.pausesFail = true;
    assertFails(ErrorCode.UNAVAILABLE, () -> control.lifecycle.pause("box"));
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
    control.restart();
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.paused).isEmpty();
  }

  @Test
  void a_sandbox_that_was_stopped_on_purpose_is_started_on_purpose() {
    control.lifecycle.stop("box", StopReason.ASKED, Duration.ZERO);
    assertFails(ErrorCode.CONFLICT, () -> control.lifecycle.guest("box"))
        .hasMessageContaining("cove start");
    assertFails(ErrorCode.CONFLICT, () -> control.lifecycle.resume("box"));
    assertFails(ErrorCode.CONFLICT, () -> control.lifecycle.pause("box"));
    assertThat(control.node.running).isEmpty();
    assertThat(control.lifecycle.start("box").state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.running).containsOnlyKeys(box.id());
  }

  @Test
  void a_stop_on_purpose_holds_also_for_one_that_was_stopped_for_another_reason() {
    control.lifecycle.stop("box", StopReason.SHUT_DOWN, Duration.ZERO);
    control.lifecycle.stop("box", StopReason.ASKED, Duration.ZERO);
    assertFails(ErrorCode.CONFLICT, () -> control.lifecycle.guest("box"));
  }

  @Test
  void a_paused_sandbox_can_be_stopped_and_a_stopped_one_deleted() {
    control.lifecycle.pause("box");
    control.lifecycle.stop("box", StopReason.ASKED, Duration.ZERO);
    assertThat(control.node.stopped).containsExactly(box.id());
    control.lifecycle.delete("box");
    assertThat(control.node.stopped).isEmpty();
  }

  @Test
  void a_start_that_fails_says_why_and_leaves_it_stopped_as_it_was() {
    control.lifecycle.stop("box", StopReason.SHUT_DOWN, Duration.ZERO);
    SandboxState before = state();
    control.node.startsFail = true;
    assertFails(ErrorCode.UNAVAILABLE, () -> control.lifecycle.guest("box"))
        .hasMessageContaining("the cage could not be built");
    assertThat(state()).isEqualTo(before);
    control.node.startsFail = false;
    control.lifecycle.guest("box");
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
  }

  @Test
  void a_stop_that_fails_is_done_a_moment_later() {
    control.node.removalsFail = true;
    assertFails(
        ErrorCode.UNAVAILABLE,
        () -> control.lifecycle.stop("box", StopReason.ASKED, Duration.ZERO));
    assertThat(state()).isInstanceOf(SandboxState.Stopped.class);
    control.node.removalsFail = false;
    Awaitility.await().atMost(PATIENCE).until(() -> control.node.running.isEmpty());
  }

  @Test
  void a_sandbox_that_ends_by_itself_is_stopped_and_says_why() {
    control.node.lose(box.id(), StopReason.OUT_OF_MEMORY);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() ->
            state() instanceof SandboxState.Stopped stopped
                && stopped.reason() == StopReason.OUT_OF_MEMORY);
    control.lifecycle.guest("box");
    assertThat(state()).isInstanceOf(SandboxState.Running.class);
  }

  private SandboxState state() {
    return control.lifecycle.require("box").state();
  }

  private static AbstractThrowableAssert<?, ?> assertFails(ErrorCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(CoveException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
