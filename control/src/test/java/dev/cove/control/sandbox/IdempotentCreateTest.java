package dev.cove.control.sandbox;

import static dev.cove.control.sandbox.ControlPlane.repeatable;
import static dev.cove.control.sandbox.ControlPlane.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cove.control.ledger.Micros;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdempotentCreateTest {
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
  void a_hundred_equal_creates_at_once_make_one_sandbox() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Created> create = () -> control.lifecycle.create(repeatable("key"));
      List<Created> answers =
          threads.invokeAll(IntStream.range(0, 100).mapToObj(_ -> create).toList()).stream()
              .map(Future::resultNow)
              .toList();
      assertThat(answers.stream().map(Created::sandbox).distinct()).hasSize(1);
      assertThat(answers.stream().filter(answer -> !answer.replayed())).hasSize(1);
      assertThat(control.node.running).hasSize(1);
      assertThat(control.node.starts).hasValue(1);
    }
  }

  @Test
  void the_same_request_gives_the_same_sandbox_also_after_a_restart() {
    Sandbox sandbox = control.lifecycle.create(repeatable("key")).sandbox();
    control.restart();
    assertThat(control.lifecycle.create(repeatable("key"))).isEqualTo(new Created(sandbox, true));
  }

  @Test
  void a_key_that_was_used_for_another_request_is_refused() {
    control.lifecycle.create(repeatable("key"));
    var other = request(Optional.empty(), Map.of("A", "1"), Map.of(), Optional.of("key"));
    assertFails(ErrorCode.CONFLICT, other);
    assertThat(control.node.running).hasSize(1);
  }

  @Test
  void requests_that_only_look_alike_are_told_apart() {
    control.lifecycle.create(
        request(Optional.empty(), Map.of("A", "1", "B", "2"), Map.of(), Optional.of("key")));
    assertFails(
        ErrorCode.CONFLICT,
        request(Optional.empty(), Map.of("A", "1"), Map.of("B", "2"), Optional.of("key")));
    assertFails(
        ErrorCode.CONFLICT,
        request(Optional.of(""), Map.of("A", "1", "B", "2"), Map.of(), Optional.of("key")));
  }

  @Test
  void a_create_that_failed_may_be_repeated() {
    control.node.startsFail = true;
    assertFails(ErrorCode.UNAVAILABLE, repeatable("key"));
    control.node.startsFail = false;
    assertThat(control.lifecycle.create(repeatable("key")).replayed()).isFalse();
  }

  @Test
  void a_late_repeat_does_not_bring_a_deleted_sandbox_back() {
    Sandbox sandbox = control.lifecycle.create(repeatable("key")).sandbox();
    control.lifecycle.delete(sandbox.id().value());
    assertFails(ErrorCode.CONFLICT, repeatable("key"));
    control.restart();
    assertFails(ErrorCode.CONFLICT, repeatable("key"));
  }

  @Test
  void a_key_is_forgotten_after_a_day() {
    control.lifecycle.create(repeatable("key"));
    control.clock.advance(Duration.ofHours(25));
    assertThat(control.lifecycle.create(repeatable("key")).replayed()).isFalse();
    assertThat(control.node.running).hasSize(2);
  }

  @Test
  void the_newest_hundred_thousand_keys_are_kept_and_no_more() {
    long now = Micros.of(control.clock.instant());
    control.ledger.write(session ->
        session.run(
            """
            with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
            insert into idempotency (project, key, request_hash, sandbox_id, created_at)
            select 'default', 'k' || i, '', 'gone', ? from n
            """,
            now));
    control.lifecycle.create(repeatable("newest"));
    assertThat(keys("select count(*) from idempotency")).isEqualTo(100_000);
    assertThat(keys("select count(*) from idempotency where key in ('k1', 'k2', 'newest')"))
        .isEqualTo(2);
    assertThat(control.lifecycle.create(repeatable("newest")).replayed()).isTrue();
  }

  private int keys(String question) {
    return control.ledger.read(session -> session.query(question, row -> row.getInt(1)).getFirst());
  }

  @Test
  void keys_have_a_shape() {
    for (String key : List.of("", "x".repeat(129), "a\nb", "ü", "a\u0000")) {
      assertFails(ErrorCode.INVALID_REQUEST, repeatable(key));
    }
  }

  private void assertFails(ErrorCode code, CreateSandbox request) {
    assertThatThrownBy(() -> control.lifecycle.create(request))
        .asInstanceOf(type(CoveException.class))
        .returns(code, CoveException::code);
  }
}
