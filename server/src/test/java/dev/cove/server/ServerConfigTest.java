package dev.cove.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cove.model.Tier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerConfigTest {
  @Test
  void without_any_setting_it_listens_on_this_machine_only() {
    ServerConfig config = ServerConfig.read(List.of(), Map.of());
    assertThat(config.host()).isEqualTo("127.0.0.1");
    assertThat(config.port()).isEqualTo(7070);
    assertThat(config.reachableFromOutside()).isFalse();
    assertThat(config.domain()).isEqualTo("localhost");
    assertThat(config.home().data()).isEqualTo(Path.of("/var/lib/cove"));
    assertThat(config.home().run()).isEqualTo(Path.of("/run/cove"));
  }

  @Test
  void an_option_wins_over_a_variable() {
    var environment = Map.of("COVE_PORT", "1", "COVE_HOME", "/a", "COVE_POOL_SIZE", "3");
    ServerConfig config = ServerConfig.read(List.of("--port", "2", "--home=/b/../c"), environment);
    assertThat(config.port()).isEqualTo(2);
    assertThat(config.home()).isEqualTo(Home.in(Path.of("/c")));
    assertThat(config.home().data()).isEqualTo(Path.of("/c/data"));
    assertThat(config.tiers().warmCages())
        .containsEntry(Tier.CONTAINER, 3)
        .containsEntry(Tier.GVISOR, 2);
  }

  @Test
  void devices_are_nodes_that_are_there_and_that_no_sandbox_has_already() {
    var there = ServerConfig.read(List.of(), Map.of("COVE_DEVICES", " /dev/kmsg, "));
    assertThat(there.tiers().devices()).containsExactly("/dev/kmsg");
    for (String wrong :
        List.of("/dev/null", "/dev/../etc/passwd", "/etc/passwd", "kmsg", "/dev/nothing", "/dev")) {
      assertThatThrownBy(() -> ServerConfig.read(List.of(), Map.of("COVE_DEVICES", wrong)))
          .hasMessageContaining("which is no device below /dev here");
    }
  }

  @Test
  void gvisor_has_three_platforms_and_a_runtime_with_a_name_or_a_path() {
    var set = Map.of("COVE_RUNSC", "/opt/runsc", "COVE_GVISOR_PLATFORM", "kvm");
    assertThat(ServerConfig.read(List.of(), set).tiers().gvisor().runtime())
        .isEqualTo("/opt/runsc");
    assertThatThrownBy(() -> ServerConfig.read(List.of(), Map.of("COVE_GVISOR_PLATFORM", "magic")))
        .hasMessageContaining("COVE_GVISOR_PLATFORM must be");
    assertThatThrownBy(() -> ServerConfig.read(List.of(), Map.of("COVE_RUNSC", "bin/runsc")))
        .hasMessageContaining("COVE_RUNSC must be");
  }

  @Test
  void the_usual_tier_is_one_that_there_is() {
    assertThat(ServerConfig.read(List.of(), Map.of()).tiers().usual()).isEqualTo(Tier.CONTAINER);
    ServerConfig stronger = ServerConfig.read(List.of(), Map.of("COVE_TIER", "gvisor"));
    assertThat(stronger.tiers().usual()).isEqualTo(Tier.GVISOR);
    assertThatThrownBy(() -> ServerConfig.read(List.of(), Map.of("COVE_TIER", "stone")))
        .hasMessageContaining("COVE_TIER must be one of container, gvisor, microvm");
  }

  @Test
  void a_domain_is_a_name_in_lower_case_and_no_address() {
    for (String name : List.of("cove.example.org", "x", "a-b.c1")) {
      assertThat(ServerConfig.read(List.of(), Map.of("COVE_DOMAIN", name)).domain())
          .isEqualTo(name);
    }
    for (String other :
        List.of("127.0.0.1", "Example.org", ".org", "a..b", "a.", "-a", "a:80", "*.a", "[::1]")) {
      ConfigException fault =
          catchThrowableOfType(
              ConfigException.class,
              () -> ServerConfig.read(List.of(), Map.of("COVE_DOMAIN", other)));
      assertThat(fault.faults()).as(other).singleElement().asString().contains("COVE_DOMAIN");
    }
  }

  @Test
  void trusted_authorities_are_certificates_in_a_file(@TempDir Path folder) throws Exception {
    Path none = Files.writeString(folder.resolve("none"), "");
    Path other = Files.writeString(folder.resolve("other"), "no certificate");
    for (Path file : List.of(none, other, folder.resolve("missing"))) {
      ConfigException fault =
          catchThrowableOfType(
              ConfigException.class,
              () -> ServerConfig.read(List.of(), Map.of("COVE_TRUSTED_CAS", file.toString())));
      assertThat(fault.faults()).singleElement().asString().contains("COVE_TRUSTED_CAS");
    }
    TrustManagerFactory usual = TrustManagerFactory.getInstance("PKIX");
    usual.init((KeyStore) null);
    X509Certificate[] known = ((X509TrustManager) usual.getTrustManagers()[0]).getAcceptedIssuers();
    var pem = new StringBuilder();
    for (X509Certificate certificate : List.of(known[0], known[1])) {
      pem.append("-----BEGIN CERTIFICATE-----\n")
          .append(Base64.getMimeEncoder().encodeToString(certificate.getEncoded()))
          .append("\n-----END CERTIFICATE-----\n");
    }
    Path good = Files.writeString(folder.resolve("good"), pem);
    assertThat(
            ServerConfig.read(List.of(), Map.of("COVE_TRUSTED_CAS", good.toString()))
                .network()
                .trusted())
        .containsExactly(known[0], known[1]);
  }

  @Test
  void all_faults_are_named_at_once() {
    var environment = Map.of("COVE_MAX_SANDBOXES", "many", "COVE_MEMORY_RESERVE_MB", "-1");
    ConfigException fault =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                ServerConfig.read(
                    List.of("--prot", "--port=70000", "--host= x", "--home"), environment));
    assertThat(fault.faults())
        .satisfiesExactlyInAnyOrder(
            one -> assertThat(one).contains("no option --prot"),
            one -> assertThat(one).contains("--home needs a value"),
            one -> assertThat(one).contains("--port must be a number between 0 and 65535"),
            one -> assertThat(one).contains("--host is not a host name"),
            one -> assertThat(one).contains("COVE_MAX_SANDBOXES must be a number"),
            one -> assertThat(one).contains("COVE_MEMORY_RESERVE_MB must be a number"));
  }

  @Test
  void an_address_of_the_network_is_told_apart_from_one_of_this_machine() {
    for (String outside : List.of("0.0.0.0", "::", "10.0.0.1", "example.org")) {
      assertThat(ServerConfig.read(List.of("--host", outside), Map.of()).reachableFromOutside())
          .as(outside)
          .isTrue();
    }
    for (String inside : List.of("127.0.0.2", "::1", "localhost")) {
      assertThat(ServerConfig.read(List.of("--host", inside), Map.of()).reachableFromOutside())
          .as(inside)
          .isFalse();
    }
  }
}
