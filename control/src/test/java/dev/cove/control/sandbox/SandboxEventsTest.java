package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.event.Event;
import dev.cove.control.event.EventFilter;
import dev.cove.control.event.Events;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.Issued;
import dev.cove.model.CoveException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of sandboxes is told, whichever way it comes about. */
class SandboxEventsTest {
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
  void a_life_is_told_in_order_and_without_gaps() {
    Sandbox sandbox = control.create("box");
    control.lifecycle.delete("box");
    assertThat(types()).containsExactly("sandbox.created", "sandbox.running", "sandbox.deleted");
    assertThat(all())
        .allSatisfy(event -> assertThat(event.sandbox()).contains(sandbox.id().value()))
        .extracting(Event::id)
        .containsExactly(1L, 2L, 3L);
    assertThat(all().get(1).data()).contains("\"name\":\"box\"");
  }

  @Test
  void a_restart_tells_nothing_twice() {
    control.create("box");
    control.restart();
    control.restart();
    assertThat(types()).containsExactly("sandbox.created", "sandbox.running");
  }

  @Test
  void what_was_lost_while_nobody_looked_is_told_at_the_next_start_with_the_reason() {
    control.create("box");
    control.node.haltAll();
    control.restart("boot-2");
    assertThat(types()).endsWith("sandbox.stopped");
    assertThat(all().getLast().data()).contains("\"reason\":\"host_restarted\"");
  }

  @Test
  void a_sandbox_that_did_not_come_to_be_is_told_to_be_gone() {
    control.node.startsFail = true;
    assertThatThrownBy(() -> control.create("box")).isInstanceOf(CoveException.class);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> assertThat(types()).containsExactly("sandbox.created", "sandbox.deleted"));
  }

  @Test
  void keys_are_told_without_their_secrets() {
    ApiKeys keys = ApiKeys.open(control.ledger, control.clock());
    Issued issued = keys.issue("ci \"quoted\"");
    keys.revoke(issued.key().id());
    keys.revoke(issued.key().id());
    assertThat(types()).containsExactly("key.created", "key.revoked");
    assertThat(all().getFirst().data())
        .isEqualTo("{\"key\":\"%s\",\"name\":\"ci \\\"quoted\\\"\"}".formatted(issued.key().id()));
  }

  private List<Event> all() {
    try (Events events = Events.open(control.ledger, control.clock())) {
      return events.page(EventFilter.ALL, 0, Events.MAX_PAGE).items();
    }
  }

  private List<String> types() {
    return all().stream().map(Event::type).toList();
  }
}
