package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Keys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KeysTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void a_new_key_opens_the_server_until_it_is_revoked() {
    Keys.NewKey made = server.cove().keys().create("for a test");
    assertThat(made.key()).matches("cove_[0-9a-f]{32,}");
    try (Cove other = Cove.connect(server.url(), made.key())) {
      assertThat(other.sandboxes().list()).isNotNull();
      server.cove().keys().revoke(made.id());
      assertRefused(401, "unauthenticated", () -> other.sandboxes().list());
    }
    assertThat(server.cove().keys().list())
        .filteredOn(key -> key.id().equals(made.id()))
        .allMatch(key -> key.revokedAt().isPresent());
  }

  @Test
  void a_key_is_shown_once_and_kept_nowhere() throws Exception {
    Keys.NewKey made = server.cove().keys().create("shown once");
    try (var api = new RawApi(server)) {
      assertThat(api.get("/api/v1/keys").body()).contains(made.id()).doesNotContain(made.key());
    }
    String secret = made.key().substring("cove_".length());
    try (var files = Files.walk(server.home().resolve("data"))) {
      for (Path file : files.filter(Files::isRegularFile).filter(KeysTest::isSmall).toList()) {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(text.contains(secret)).as("the key is in %s", file).isFalse();
      }
    }
    assertThat(Files.readString(server.log()).contains(secret)).isFalse();
  }

  private static boolean isSmall(Path file) {
    return file.toFile().length() < 64 << 20;
  }

  @Test
  void the_last_use_of_a_key_is_remembered() {
    Keys.NewKey made = server.cove().keys().create("used");
    assertThat(find(made.id()).lastUsedAt()).isEmpty();
    try (Cove other = Cove.connect(server.url(), made.key())) {
      assertThat(other.system().version()).isNotBlank();
    }
    Awaitility.await("the last use to be written down")
        .atMost(Duration.ofSeconds(90))
        .until(() -> find(made.id()).lastUsedAt().isPresent());
    assertThat(find(made.id()).last4()).isEqualTo(made.key().substring(made.key().length() - 4));
  }

  private static Keys.KeyInfo find(String id) {
    return server.cove().keys().list().stream()
        .filter(key -> key.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void only_the_owner_can_read_the_local_key() throws Exception {
    for (String file : new String[] {"data/local.key", "run/server.json", "data/ledger.db"}) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(server.home().resolve(file))))
          .as(file)
          .isEqualTo("rw-------");
    }
  }

  @Test
  void no_key_or_a_wrong_one_opens_nothing_but_the_health_check_and_the_contract()
      throws Exception {
    try (var api = new RawApi(server);
        Cove stranger = Cove.connect(server.url(), "cove_" + "0".repeat(64))) {
      assertRefused(401, "unauthenticated", () -> stranger.sandboxes().list());
      assertThat(api.getWithoutKey("/api/v1/sandboxes").statusCode()).isEqualTo(401);
      assertThat(api.getWithoutKey("/metrics").statusCode()).isEqualTo(401);
      assertThat(api.getWithoutKey("/healthz").statusCode()).isEqualTo(200);
      assertThat(api.getWithoutKey("/api/openapi.json").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void the_server_tells_its_health_its_figures_and_its_contract() throws Exception {
    try (var api = new RawApi(server)) {
      var health = RawApi.parse(api.get("/healthz"));
      assertThat(health.path("status").asString()).isEqualTo("ok");
      assertThat(health.path("version").asString()).isEqualTo(server.cove().system().version());
      assertThat(api.get("/metrics").body()).contains("# TYPE ").contains("cove_");
      var contract = RawApi.parse(api.get("/api/openapi.json"));
      assertThat(contract.path("openapi").asString()).startsWith("3.");
      assertThat(contract.path("paths").has("/api/v1/sandboxes/{box}/exec")).isTrue();
      var system = RawApi.parse(api.get("/api/v1/system"));
      assertThat(system.path("engines").get(0).path("tier").asString()).isEqualTo("container");
      assertThat(system.path("engines").get(0).path("usable").asBoolean()).isTrue();
    }
  }
}
