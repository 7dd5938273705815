package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Fork;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How much a project may have, and who gets the next place on a machine that is full. */
class QuotasTest {
  private static final int MOST = 8;

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of(
              "COVE_MAX_SANDBOXES", Integer.toString(MOST),
              "COVE_POOL_SIZE", "0",
              "COVE_CREATE_WAIT_MS", "30000"));

  private static Cove in(String project) {
    return Cove.connect(server.url(), server.key(), project);
  }

  @BeforeEach
  void begin() {
    server.cove().projects().create("flood");
    server.cove().projects().create("calm");
  }

  @AfterEach
  void end() {
    for (String project : List.of("flood", "calm")) {
      try (Cove cove = in(project)) {
        Awaitility.await()
            .until(() -> {
              cove.sandboxes().list().forEach(box -> cove.sandboxes().delete(box.id()));
              return cove.sandboxes().list().isEmpty();
            });
        cove.volumes().list().forEach(volume -> cove.volumes().delete(volume.id()));
      }
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(() -> server.cove().projects().delete(project));
    }
  }

  private static void set(String project, String quota, double limit) {
    server.cove().projects().change(project, Map.of(quota, OptionalDouble.of(limit)));
  }

  /** What came of so many creates at once. */
  private static List<Object> atOnce(Cove cove, int count) throws Exception {
    List<Callable<Object>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(() -> {
        try {
          return cove.sandboxes().create().id();
        } catch (CoveApiException e) {
          return e;
        }
      });
    }
    var results = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Object> done : threads.invokeAll(calls)) {
        results.add(done.get());
      }
    }
    return results;
  }

  @Test
  void never_one_too_many_in_twenty_rounds_of_two_hundred_at_once() throws Exception {
    set("flood", "sandboxes", 5);
    try (Cove flood = in("flood")) {
      for (int round = 0; round < 20; round++) {
        List<Object> results = atOnce(flood, 200);
        assertThat(results).filteredOn(String.class::isInstance).as("round %d", round).hasSize(5);
        assertThat(results)
            .filteredOn(CoveApiException.class::isInstance)
            .allSatisfy(e -> {
              var refusal = (CoveApiException) e;
              assertThat(refusal.code()).as(refusal.detail()).isEqualTo("quota_exceeded");
              assertThat(refusal.detail()).contains("quota of 5 for sandboxes", "uses 5");
            });
        assertThat(flood.sandboxes().list()).hasSize(5);
        flood.sandboxes().list().forEach(box -> flood.sandboxes().delete(box.id()));
      }
    }
  }

  @Test
  void a_refusal_says_when_to_come_again() throws Exception {
    set("flood", "createsPerMinute", 0);
    try (var api = new RawApi(server)) {
      var answer = api.post("/api/v1/sandboxes", "{}", "Cove-Project", "flood");
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(answer.body()).contains("quota_exceeded", "createsPerMinute");
    }
  }

  @Test
  void each_quota_counts_what_it_is_for() {
    try (Cove flood = in("flood");
        Sandbox first = flood.sandboxes().create(CreateOptions.defaults().cpus(1).memoryMb(256))) {
      set("flood", "cpus", 1.5);
      assertRefused(429, "quota_exceeded", () -> flood.sandboxes().create());
      first.pause();
      assertRefused(429, "quota_exceeded", () -> flood.sandboxes().create());
      first.stop();
      try (Sandbox second = flood.sandboxes().create(CreateOptions.defaults().cpus(1))) {
        assertRefused(429, "quota_exceeded", first::start);
        second.stop();
        first.start();
        assertThat(first.fetchInfo().state()).isEqualTo("running");
        assertThat(server.cove().projects().require("flood").used())
            .containsEntry("sandboxes", 2.0)
            .containsEntry("cpus", 1.0)
            .containsEntry("memoryMb", 256.0);
      }
      server.cove().projects().change("flood", Map.of("cpus", OptionalDouble.empty()));
      set("flood", "sandboxes", 3);
      List<Fork> forks = first.fork(5);
      assertThat(forks).filteredOn(Fork.Made.class::isInstance).hasSize(2);
      set("flood", "diskMb", 1);
      assertRefused(429, "quota_exceeded", () -> flood.volumes().create("v", 16));
    }
  }

  /** Until each of these was refused or waits, and one more waits. */
  private static void awaitAllInLine(List<Future<String>> many) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> {
          long refused = many.stream().filter(Future::isDone).count();
          return Waiting.count(server) == many.size() + 1 - refused;
        });
  }

  @Test
  void one_project_cannot_keep_another_from_the_next_places() throws Exception {
    try (Cove flood = in("flood");
        Cove calm = in("calm");
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < MOST; i++) {
        flood.sandboxes().create();
      }
      var many = new ArrayList<Future<String>>();
      for (int i = 0; i < 300; i++) {
        many.add(
            threads.submit(() -> {
              try {
                return flood.sandboxes().create().id();
              } catch (CoveApiException e) {
                return e.code();
              }
            }));
      }
      Future<String> single = threads.submit(() -> calm.sandboxes().create().id());
      awaitAllInLine(many);
      List<SandboxInfo> standing = flood.sandboxes().list();
      int freed = 0;
      while (!single.isDone() && freed < MOST) {
        flood.sandboxes().delete(standing.get(freed).id());
        freed++;
        Awaitility.await()
            .atMost(Duration.ofSeconds(20))
            .until(() ->
                single.isDone()
                    || flood.sandboxes().list().size() + calm.sandboxes().list().size() == MOST);
      }
      assertThat(single.get()).isNotEmpty();
      assertThat(freed).as("places that became free before").isLessThanOrEqualTo(3);
      threads.shutdownNow();
    }
  }

  @Test
  void who_does_not_want_to_wait_is_told_at_once() throws Exception {
    try (Cove flood = in("flood");
        var api = new RawApi(server)) {
      for (int i = 0; i < MOST; i++) {
        flood.sandboxes().create();
      }
      long before = System.nanoTime();
      var answer = api.post("/api/v1/sandboxes", "{}", "Prefer", "wait=0");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
    }
  }
}
