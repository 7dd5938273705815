package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.LifeChange;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Usage;
import dev.cove.sdk.UsageQuery;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The clock on the wall jumps by an hour, both ways, and nobody suffers. */
class ClockJumpsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(Map.of("COVE_POOL_SIZE", "1", "COVE_METER_INTERVAL_MS", "100"));

  private static Usage.Item used(Sandbox box) {
    return server.cove().usage(UsageQuery.by("sandbox").sandbox(box.id())).items().stream()
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  private static double running(Sandbox box) {
    return used(box).runningSeconds().doubleValue();
  }

  @Test
  void sandboxes_run_on_and_usage_and_events_stay_true() throws Exception {
    FalseClock clock = FalseClock.in(folder);
    server.stop();
    server.start(launch -> launch.environment().putAll(clock.environment()));
    long began = System.nanoTime();
    Sandbox box =
        server.create(
            CreateOptions.defaults().life(LifeChange.none().idle(Duration.ofMinutes(30))));
    box.start(Command.shell("sleep 1000").keepRunning()).close();
    double before = 0;
    for (Duration wrong :
        List.of(Duration.ofHours(1), Duration.ZERO, Duration.ofHours(-1), Duration.ZERO)) {
      clock.set(wrong);
      try (Sandbox other = server.create()) {
        assertThat(other.info().createdAt())
            .as("the server believes what it is told")
            .isCloseTo(Instant.now().plus(wrong), within(5, ChronoUnit.MINUTES));
        assertThat(other.exec("echo", "well").stdout()).isEqualTo("well\n");
        other.pause();
        other.resume();
      }
      double counted = before;
      Awaitility.await().atMost(PATIENCE).until(() -> running(box) > counted);
      before = running(box);
      assertThat(box.fetchInfo().state()).as("not idle for half an hour").isEqualTo("running");
    }
    double passed = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1_000.0;
    BigDecimal total =
        server.cove().usage(UsageQuery.by("sandbox").sandbox(box.id())).items().stream()
            .map(Usage.Item::runningSeconds)
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    assertThat(total.doubleValue()).as("no hour too many, none taken back").isBetween(0.0, passed);
    List<Event> events = server.cove().events().list(EventQuery.all(), 1_000).items();
    assertThat(events).extracting(Event::id).isSorted().doesNotHaveDuplicates();
    assertThat(box.exec("pgrep", "-c", "sleep").stdout()).isEqualTo("1\n");
    box.delete();
  }
}
