package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E2B's base, which is made of packages because somebody asked for it; that takes minutes. */
@Tag("long")
class E2bBaseTest {
  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_E2B_BASE", "debian"));

  private static void step(String name) throws Exception {
    var environment = new HashMap<>(E2bPackage.environment(server));
    environment.put("STEP", name);
    String said = E2bPackage.of("e2b-2.51.0").run("base.cjs", environment);
    assertThat(said).contains("2 of 2 checks passed");
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void it_is_made_on_first_use_while_the_hosts_programs_stand_in() throws Exception {
    step("first");
    await()
        .atMost(Duration.ofMinutes(15))
        .until(() -> server.cove().templates().find("base").isPresent());
    step("second");
  }
}
