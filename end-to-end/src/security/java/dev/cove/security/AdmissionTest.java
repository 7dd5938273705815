package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asking for more sandboxes, or larger ones, than there is room for. */
class AdmissionTest {
  private static final int MOST = 5;
  private static final int CREATES = 100;

  @RegisterExtension
  static final RunningServer SERVER =
      RunningServer.with(Map.of("COVE_MAX_SANDBOXES", String.valueOf(MOST), "COVE_POOL_SIZE", "2"));

  @Test
  void a_hundred_creates_at_once_give_exactly_as_many_as_may_exist() throws Exception {
    var made = new ArrayList<Sandbox>();
    var refused = new ArrayList<CoveApiException>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Sandbox> create = () -> SERVER.cove().sandboxes().create();
      List<Future<Sandbox>> creates = threads.invokeAll(Collections.nCopies(CREATES, create));
      for (Future<Sandbox> one : creates) {
        switch (one.state()) {
          case SUCCESS -> made.add(one.resultNow());
          case FAILED -> {
            assertThat(one.exceptionNow()).isInstanceOf(CoveApiException.class);
            refused.add((CoveApiException) one.exceptionNow());
          }
          case RUNNING, CANCELLED -> throw new AssertionError("A create neither ended nor failed");
        }
      }
      assertThat(made).hasSize(MOST);
      assertThat(refused).hasSize(CREATES - MOST);
      assertThat(refused).allSatisfy(e -> assertThat(e.status()).as(e.detail()).isIn(429, 503));
      assertThat(SERVER.cove().sandboxes().list()).hasSize(MOST);
      for (Sandbox box : made) {
        assertThat(box.exec("echo", "ok").stdout()).isEqualTo("ok\n");
      }
    } finally {
      made.forEach(Sandbox::close);
    }
    try (Sandbox again = SERVER.cove().sandboxes().create()) {
      assertThat(again.exec("true").exitCode()).isZero();
    }
  }

  @Test
  void a_refusal_for_lack_of_room_says_when_to_try_again() throws Exception {
    var held = new ArrayList<Sandbox>();
    try {
      for (int i = 0; i < MOST; i++) {
        held.add(SERVER.cove().sandboxes().create());
      }
      HttpResponse<String> refused = ApiClient.of(SERVER).post("/api/v1/sandboxes", "{}");
      assertThat(refused.statusCode()).isIn(429, 503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(refused.body()).contains("\"code\":\"");
    } finally {
      held.forEach(Sandbox::close);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"memoryMb\":4194304}",
        "{\"memoryMb\":2147483647}",
        "{\"memoryMb\":9223372036854775807}",
        "{\"diskMb\":2147483648}",
        "{\"cpus\":1e308}",
        "{\"maxProcesses\":1000001}"
      })
  void sizes_beyond_the_host_are_refused_and_never_become_no_limit(String body) throws Exception {
    HttpResponse<String> refused = ApiClient.of(SERVER).post("/api/v1/sandboxes", body);

    assertThat(refused.statusCode()).as(refused.body()).isIn(400, 422, 429, 503);
    assertThat(SERVER.cove().sandboxes().list()).isEmpty();
  }

  @Test
  void figures_that_are_accepted_are_really_set() {
    try (Sandbox box =
        SERVER
            .cove()
            .sandboxes()
            .create(CreateOptions.defaults().memoryMb(64).maxProcesses(8).cpus(0.05))) {
      assertThat(box.metrics().memory().limitBytes()).isEqualTo(64L << 20);
      assertThat(box.metrics().processes().limit()).isEqualTo(8);
      assertThat(box.metrics().cpu().limit()).isEqualTo(0.05);
    }
  }
}
