package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E2B's rules for requests, with a server outside that says what came to it. */
class E2bRulesTest {
  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("api.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(world::settings);

  @Test
  void a_rule_puts_a_secret_into_requests_that_the_sandbox_makes_without_it() throws Exception {
    SecureWorld.Place api = world.echo("api.test", "127.77.3.1", 0);
    var environment = new HashMap<>(E2bPackage.environment(server));
    environment.put("WORLD_URL", "https://api.test:%d/v1/me".formatted(api.port()));
    String said = E2bPackage.of("e2b-2.51.0").run("rules.cjs", environment);
    assertThat(said).contains("checks passed").doesNotContain("not ok");
    assertThat(api.seen()).hasSize(4);
    assertThat(api.seen().get(0)).contains("Bearer sk-live-5d1e9c");
    assertThat(api.seen().get(1)).contains("Bearer sk-next-77aa01");
    assertThat(api.seen().get(2)).doesNotContain("Bearer");
    assertThat(api.seen().get(3)).contains("Bearer sk-plain-31415926");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(server.cove().secrets().list()).isEmpty());
  }
}
