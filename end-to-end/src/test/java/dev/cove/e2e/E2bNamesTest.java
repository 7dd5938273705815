package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E2B's clients, who know a server by the name of its domain alone, as with a real certificate. */
class E2bNamesTest {
  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("*.sbx.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(Map.of("COVE_DOMAIN", "sbx.test"));

  @ParameterizedTest
  @ValueSource(strings = {"e2b-2.51.0", "e2b-2.45.0"})
  void a_domain_is_all_that_a_client_needs_to_know(String version) throws Exception {
    try (var front = new TlsFront(world.listen(), server.url().getPort())) {
      String domain = "sbx.test:" + front.port();
      var environment = new HashMap<>(E2bPackage.environment(server, "--domain", domain));
      environment.put("PLAIN_URL", server.url().toString());
      environment.put("NODE_EXTRA_CA_CERTS", world.certificate().toString());
      String said = E2bPackage.of(version).run("names.cjs", environment);
      assertThat(said).contains("checks passed").doesNotContain("not ok");
    }
  }
}
