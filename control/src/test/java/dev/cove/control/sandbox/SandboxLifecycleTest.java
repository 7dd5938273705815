package dev.cove.control.sandbox;

import static dev.cove.control.sandbox.ControlPlane.labelled;
import static dev.cove.control.sandbox.ControlPlane.named;
import static dev.cove.control.sandbox.ControlPlane.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cove.control.ledger.Ledger;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxLifecycleTest {
  @TempDir Path folder;
  private ControlPlane control;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
  }

  @AfterEach
  void stop() {
    control.close();
  }

  @Test
  void a_created_sandbox_runs_and_is_found_by_id_and_by_name() {
    Sandbox sandbox = control.create("my box");
    assertThat(sandbox.state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.running).containsOnlyKeys(sandbox.id());
    assertThat(control.lifecycle.require(sandbox.id().value())).isEqualTo(sandbox);
    assertThat(control.lifecycle.require("my box")).isEqualTo(sandbox);
    assertThat(control.lifecycle.guest("my box")).hasToString("guest of " + sandbox.id());
    assertThat(control.lifecycle.metrics("my box").processes()).isEqualTo(7);
  }

  @Test
  void a_sandbox_without_a_name_is_named_after_its_id() {
    Sandbox sandbox = control.create();
    assertThat(sandbox.spec().name()).isEqualTo(sandbox.id().value());
    assertThat(control.node.running.get(sandbox.id())).isEqualTo(sandbox.spec());
  }

  @Test
  void env_and_labels_survive_a_restart_byte_for_byte() {
    var env = Map.of("A", "1\n2", "B", "", "C", "ünïcödé \uD83D\uDE80");
    var labels = Map.of("team/a", "x=y", "empty", "", "decomposed", "e\u0301", "nul", "a\u0000b");
    Sandbox sandbox =
        control
            .lifecycle
            .create(request(Optional.of("e\u0301tage"), env, labels, Optional.empty()))
            .sandbox();
    control.restart();
    assertThat(control.lifecycle.require(sandbox.id().value())).isEqualTo(sandbox);
  }

  @Test
  void a_name_in_use_cannot_be_taken_not_even_in_another_spelling() {
    control.create("caf\u00e9");
    assertFails(ErrorCode.CONFLICT, () -> control.create("caf\u00e9"));
    assertFails(ErrorCode.CONFLICT, () -> control.create("cafe\u0301"));
    assertThat(control.lifecycle.require("cafe\u0301").spec().name()).isEqualTo("caf\u00e9");
    assertThat(control.node.reserved).isEmpty();
    control.create("Caf\u00e9");
  }

  @Test
  void of_many_creates_with_one_name_exactly_one_succeeds() throws Exception {
    int succeeded = inParallel(50, () -> control.create("only one"), ErrorCode.CONFLICT);
    assertThat(succeeded).isEqualTo(1);
    assertThat(control.node.running).hasSize(1);
    assertThat(control.node.reserved).isEmpty();
  }

  @Test
  void a_deleted_sandbox_is_gone_everywhere_and_its_name_is_free() {
    Sandbox first = control.create("box");
    control.lifecycle.delete("box");
    assertThat(control.node.running).isEmpty();
    assertFails(ErrorCode.NOT_FOUND, () -> control.lifecycle.require("box"));
    assertFails(ErrorCode.NOT_FOUND, () -> control.lifecycle.require(first.id().value()));
    assertFails(ErrorCode.NOT_FOUND, () -> control.lifecycle.delete(first.id().value()));
    Sandbox second = control.create("box");
    assertThat(second.id()).isNotEqualTo(first.id());
    control.restart();
    assertThat(all()).containsExactly(second);
  }

  @Test
  void the_name_of_a_sandbox_that_cannot_be_taken_apart_is_free_and_the_work_is_retried() {
    Sandbox stuck = control.create("box");
    control.node.removalsFail = true;
    assertFails(ErrorCode.UNAVAILABLE, () -> control.lifecycle.delete("box"));
    Sandbox second = control.create("box");
    assertThat(control.node.running).containsOnlyKeys(stuck.id(), second.id());

    control.node.removalsFail = false;
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> !control.node.running.containsKey(stuck.id()));
    control.restart();
    assertThat(all()).containsExactly(second);
  }

  @Test
  void of_many_deletes_of_one_sandbox_the_last_ones_find_nothing() throws Exception {
    control.create("box");
    int succeeded =
        inParallel(
            20,
            () -> {
              control.lifecycle.delete("box");
              return true;
            },
            ErrorCode.NOT_FOUND);
    assertThat(succeeded).isEqualTo(1);
    assertThat(control.node.running).isEmpty();
  }

  @Test
  void a_start_that_fails_leaves_nothing_behind() {
    control.node.startsFail = true;
    assertFails(ErrorCode.UNAVAILABLE, () -> control.create("box"));
    assertThat(control.node.reserved).isEmpty();
    assertThat(all()).isEmpty();
    control.restart();
    assertThat(all()).isEmpty();

    control.node.startsFail = false;
    control.create("box");
  }

  @Test
  void a_full_machine_refuses_and_records_nothing() {
    control.node.maxSandboxes = 1;
    control.create();
    assertFails(ErrorCode.NO_ROOM, control::create);
    assertThat(all()).hasSize(1);
  }

  @Test
  void a_ledger_full_of_failed_sandboxes_takes_no_more_until_some_are_deleted() {
    control.ledger.write(session ->
        session.run(
            """
            with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
            insert into sandbox (id, name, name_key, template, tier, milli_cpus, memory_mb, disk_mb,
                                 max_processes, state, state_reason, created_at)
            select printf('f%013d', i), 'n' || i, 'n' || i, 'host', 'container', 1000, 64, 64,
                   64, 'failed', 'lost', i
            from n
            """));
    control.restart();
    assertFails(ErrorCode.NO_ROOM, control::create).hasMessageContaining("delete");
    assertThat(control.node.reserved).isEmpty();
    control.lifecycle.delete("n7");
    control.create();
    assertThat(control.lifecycle.list(Map.of("no", "such"), 1_000, Optional.empty()).items())
        .isEmpty();
  }

  @Test
  void a_ledger_that_cannot_be_written_refuses_the_create_and_gives_the_place_back() {
    control.create("before");
    control.ledger.close();
    assertFails(ErrorCode.UNAVAILABLE, () -> control.create("after"));
    assertThat(control.node.reserved).isEmpty();
    assertThat(control.node.running).hasSize(1);
    control.ledger = Ledger.open(folder.resolve("ledger.db"));
  }

  @Test
  void a_sandbox_that_is_still_being_built_is_seen_as_starting() throws Exception {
    control.node.closeGate();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var create = CompletableFuture.supplyAsync(() -> control.create("slow"), threads);
      Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> control.node.starts.get() == 1);
      assertThat(control.lifecycle.require("slow").state())
          .isInstanceOf(SandboxState.Starting.class);
      assertFails(ErrorCode.CONFLICT, () -> control.lifecycle.guest("slow"))
          .hasMessageContaining("starting");

      var delete = CompletableFuture.runAsync(() -> control.lifecycle.delete("slow"), threads);
      assertThat(delete).isNotDone();
      control.node.openGate();
      create.get(10, TimeUnit.SECONDS);
      delete.get(10, TimeUnit.SECONDS);
      assertThat(control.node.running).isEmpty();
    }
  }

  @Test
  void a_sandbox_that_ends_by_itself_with_its_files_has_failed_and_says_why() {
    Sandbox sandbox = control.create("box");
    control.node.loseAll(sandbox.id(), StopReason.OUT_OF_MEMORY);
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> state("box").equals(new SandboxState.Failed("out of memory")));
    assertFails(ErrorCode.CONFLICT, () -> control.lifecycle.guest("box"))
        .hasMessageContaining("out of memory");
    control.restart();
    assertThat(state("box")).isEqualTo(new SandboxState.Failed("out of memory"));
    control.lifecycle.delete("box");
    assertThat(all()).isEmpty();
  }

  @Test
  void labels_are_merged_and_survive_a_restart() {
    Sandbox sandbox = control.lifecycle.create(labelled(Map.of("a", "1", "b", "2"))).sandbox();
    String id = sandbox.id().value();
    Sandbox changed =
        control.lifecycle.relabel(
            id, Map.of("a", Optional.empty(), "b", Optional.of("3"), "c", Optional.of("4")));
    assertThat(changed.spec().labels()).isEqualTo(Map.of("b", "3", "c", "4"));
    control.restart();
    assertThat(control.lifecycle.require(id).spec().labels()).isEqualTo(Map.of("b", "3", "c", "4"));
  }

  @Test
  void more_labels_than_allowed_are_refused_and_change_nothing() {
    Sandbox sandbox = control.create("box");
    var many = new HashMap<String, Optional<String>>();
    IntStream.range(0, 129).forEach(i -> many.put("k" + i, Optional.of("v")));
    assertFails(ErrorCode.INVALID_REQUEST, () -> control.lifecycle.relabel("box", many));
    assertThat(control.lifecycle.require("box")).isEqualTo(sandbox);
  }

  @Test
  void names_that_cannot_be_kept_are_refused() {
    for (String bad : List.of("", " ", "x".repeat(10_000), "a\nb", "a\u0000b", "\uD800")) {
      assertFails(ErrorCode.INVALID_REQUEST, () -> control.lifecycle.create(named(bad)));
    }
    assertThat(control.node.reserved).isEmpty();
  }

  @Test
  void text_that_cannot_be_stored_is_refused() {
    var half = Map.of("K", "\uD800");
    assertFails(
        ErrorCode.INVALID_REQUEST,
        () ->
            control.lifecycle.create(request(Optional.empty(), half, Map.of(), Optional.empty())));
    assertFails(ErrorCode.INVALID_REQUEST, () -> control.lifecycle.create(labelled(half)));
  }

  @Test
  void a_place_that_cannot_be_given_back_at_once_is_given_back_later() {
    control.create("taken");
    control.node.removalsFail = true;
    control.node.startsFail = true;
    assertFails(ErrorCode.UNAVAILABLE, () -> control.create("other"))
        .hasMessageContaining("cage could not be built");
    assertThat(all()).hasSize(1);
    control.node.removalsFail = false;
    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> control.node.reserved.isEmpty());
  }

  @Test
  void asking_for_something_that_is_no_name_finds_nothing() {
    for (String odd : List.of("", "../etc", "x".repeat(100_000), "\uD800", "a\u0000b", "%2e")) {
      assertFails(ErrorCode.NOT_FOUND, () -> control.lifecycle.require(odd));
    }
  }

  @Test
  void a_listing_is_cut_in_pages_that_together_hold_everything_once() {
    var created = new ArrayList<SandboxId>();
    for (int i = 0; i < 25; i++) {
      created.add(control.create().id());
    }
    var seen = new ArrayList<SandboxId>();
    Optional<String> cursor = Optional.empty();
    for (int page = 0; page < 3; page++) {
      SandboxPage found = control.lifecycle.list(Map.of(), 10, cursor);
      found.items().forEach(sandbox -> seen.add(sandbox.id()));
      cursor = found.nextCursor();
      control.create(); // one that comes in between does not disturb those before it
    }
    assertThat(seen).startsWith(created.toArray(SandboxId[]::new)).doesNotHaveDuplicates();
    assertThat(cursor).isEmpty();
  }

  @Test
  void a_listing_by_labels_holds_those_that_have_all_of_them() {
    Sandbox both = control.lifecycle.create(labelled(Map.of("a", "1", "b", "2"))).sandbox();
    control.lifecycle.create(labelled(Map.of("a", "1")));
    control.lifecycle.create(labelled(Map.of("a", "2", "b", "2")));
    assertThat(control.lifecycle.list(Map.of("a", "1", "b", "2"), 10, Optional.empty()).items())
        .containsExactly(both);
    assertThat(control.lifecycle.list(Map.of("a", "1"), 1, Optional.empty()).nextCursor())
        .isPresent();
  }

  @Test
  void a_listing_has_limits() {
    for (int limit : List.of(Integer.MIN_VALUE, -1, 0, 1_001, Integer.MAX_VALUE)) {
      assertFails(
          ErrorCode.INVALID_REQUEST,
          () -> control.lifecycle.list(Map.of(), limit, Optional.empty()));
    }
    for (String cursor : List.of("", "x", "1-2", "-1-abcdefghijklmn", "9".repeat(40))) {
      assertFails(
          ErrorCode.INVALID_REQUEST,
          () -> control.lifecycle.list(Map.of(), 10, Optional.of(cursor)));
    }
  }

  @Test
  void fifty_creates_at_once_all_succeed() throws Exception {
    int succeeded = inParallel(50, control::create, ErrorCode.NO_ROOM);
    assertThat(succeeded).isEqualTo(50);
    assertThat(control.node.running).hasSize(50);
  }

  private <T> int inParallel(int times, Callable<T> call, ErrorCode otherwise) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var results = threads.invokeAll(IntStream.range(0, times).mapToObj(_ -> call).toList());
      int succeeded = 0;
      for (var result : results) {
        switch (result.state()) {
          case SUCCESS -> succeeded++;
          case FAILED ->
              assertThat(result.exceptionNow())
                  .asInstanceOf(type(CoveException.class))
                  .returns(otherwise, CoveException::code);
          case RUNNING, CANCELLED -> throw new AssertionError(result);
        }
      }
      return succeeded;
    }
  }

  private List<Sandbox> all() {
    return control.lifecycle.list(Map.of(), 1_000, Optional.empty()).items();
  }

  private SandboxState state(String idOrName) {
    return control.lifecycle.require(idOrName).state();
  }

  private static AbstractThrowableAssert<?, ?> assertFails(ErrorCode code, Runnable call) {
    return assertThatThrownBy(call::run)
        .satisfies(fault ->
            assertThat(fault)
                .asInstanceOf(type(CoveException.class))
                .returns(code, CoveException::code));
  }
}
