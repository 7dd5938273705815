package dev.cove.control.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.sandbox.MovableClock;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
  private static final SandboxId ONE = new SandboxId("aaaaaaaaaaaaaa");
  private static final SandboxId OTHER = new SandboxId("bbbbbbbbbbbbbb");

  @TempDir Path folder;
  private Ledger ledger;
  private Events events;

  @BeforeEach
  void open() {
    ledger = Ledger.open(folder.resolve("ledger.db"));
    events = Events.open(ledger, Clock.systemUTC());
  }

  @AfterEach
  void close() {
    events.close();
    ledger.close();
  }

  @Test
  void pages_follow_each_other() {
    write(25);
    EventPage first = events.page(EventFilter.ALL, 0, 10);
    EventPage second = events.page(EventFilter.ALL, first.next(), 10);
    EventPage third = events.page(EventFilter.ALL, second.next(), 10);
    assertThat(List.of(first.more(), second.more(), third.more()))
        .containsExactly(true, true, false);
    assertThat(third.items()).extracting(Event::id).containsExactly(21L, 22L, 23L, 24L, 25L);
    assertThat(events.page(EventFilter.ALL, third.next(), 10).items()).isEmpty();
  }

  @Test
  void filters_look_past_what_is_not_wanted() {
    write(1_200);
    ledger.write(session -> {
      Events.write(session, "sandbox.failed", Optional.of(OTHER), "{}");
      return true;
    });
    var ofOther = new EventFilter(Optional.of(OTHER), EventTypes.ALL);
    assertThat(events.page(ofOther, 0, 10).items()).hasSize(1);
    var failures = new EventFilter(Optional.empty(), EventTypes.of(List.of("sandbox.failed")));
    EventPage found = events.page(failures, 0, 10);
    assertThat(found.items())
        .extracting(Event::sandbox)
        .containsExactly(Optional.of("bbbbbbbbbbbbbb"));
    assertThat(found.next()).isEqualTo(1_201);
    var groups = new EventFilter(Optional.empty(), EventTypes.of(List.of("sandbox.*")));
    assertThat(events.page(groups, 0, 1_000).items()).hasSize(1);
  }

  @Test
  void a_type_that_never_happens_is_refused() {
    assertThatThrownBy(() -> EventTypes.of(List.of("sandbox.runing")))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("sandbox.running");
  }

  @Test
  void the_newest_hundred_thousand_are_kept_and_a_reader_that_is_late_learns_what_it_missed() {
    ledger.write(session ->
        session.run(
            """
            insert into event (at, type, data)
            with recursive n (i) as (select 1 union all select i + 1 from n where i < 100003)
            select micros, 'key.created', '{}' from n, now
            """));
    EventPage page = events.page(EventFilter.ALL, 1, 1);
    assertThat(page.gap()).contains(new EventPage.Gap(1, 4));
    assertThat(page.items()).extracting(Event::id).containsExactly(4L);
    assertThat(events.page(EventFilter.ALL, 3, 1).gap()).isEmpty();
  }

  @Test
  void a_reader_that_is_ahead_of_everything_is_told_so_and_goes_on() {
    write(3);
    EventPage page = events.page(EventFilter.ALL, 99, 10);
    assertThat(page.gap()).contains(new EventPage.Gap(99, 4));
    assertThat(page.next()).isEqualTo(3);
  }

  @Test
  void what_is_older_than_thirty_days_goes_and_ids_go_on() {
    write(3);
    var later = new MovableClock();
    later.advance(Events.KEPT_FOR.plusMinutes(1));
    try (Events old = Events.open(ledger, later)) {
      old.sweep();
    }
    write(1);
    EventPage page = events.page(EventFilter.ALL, 0, 10);
    assertThat(page.items()).extracting(Event::id).containsExactly(4L);
    assertThat(page.gap()).contains(new EventPage.Gap(0, 4));
  }

  @Test
  void what_happens_wakes_whoever_waits() throws Exception {
    write(1);
    events.awaitAfter(0, Duration.ofSeconds(30));
    var woken =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                events.awaitAfter(1, Duration.ofSeconds(30));
                return events.newest();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            Thread::startVirtualThread);
    write(1);
    assertThat(woken.get(25, TimeUnit.SECONDS)).isEqualTo(2);
  }

  private void write(int count) {
    ledger.write(session -> {
      for (int i = 0; i < count; i++) {
        Events.write(session, "key.created", Optional.of(ONE), "{}");
      }
      return true;
    });
  }
}
