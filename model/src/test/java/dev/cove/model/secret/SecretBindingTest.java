package dev.cove.model.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.NetworkSettings;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretBindingTest {
  private static SecretBinding binding(String secret, String place, String env, String... hosts) {
    return new SecretBinding(
        new SecretName(secret),
        Stream.of(hosts).map(NetworkRule::parse).toList(),
        SecretPlace.of(place),
        Set.of(),
        List.of(),
        false,
        false,
        env);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "TOKEN-1", "1TOKEN", "_TOKEN", "TÖKEN", "TOKEN\n", "A B"})
  void a_name_that_is_no_plain_variable_is_refused(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> new SecretName(name));
  }

  @Test
  void names_have_at_most_128_characters() {
    assertThat(new SecretName("A".repeat(128)).value()).hasSize(128);
    assertThatIllegalArgumentException().isThrownBy(() -> new SecretName("A".repeat(129)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"bearer", "basic:", "basic:git", "header:X-Api-Key", "query:key", "body:api_key"})
  void a_place_is_read_as_it_is_written(String text) {
    assertThat(SecretPlace.of(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "cookie",
        "bearer:x",
        "header:",
        "header:Host",
        "header:content-length",
        "header:Transfer-Encoding",
        "header:Connection",
        "header:Upgrade",
        "header:Accept-Encoding",
        "header:X\r\nY",
        "header::authority",
        "query:a&b",
        "body:",
        "basic:a:b",
        "basic:a b"
      })
  void a_place_that_is_none_or_steers_the_request_is_refused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SecretPlace.of(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "*.com",
        "192.0.2.7",
        "[2001:db8::1]",
        "10.0.0.0/8",
        "a.test GET",
        "a.test /x"
      })
  void a_secret_is_bound_to_names_alone(String host) {
    assertThatIllegalArgumentException().isThrownBy(() -> binding("TOKEN", "bearer", "", host));
  }

  @Test
  void it_has_1_to_32_hosts() {
    String[] most = Collections.nCopies(32, "a.test").toArray(String[]::new);
    assertThat(binding("TOKEN", "bearer", "", most).hosts()).hasSize(32);
    String[] more = Collections.nCopies(33, "a.test").toArray(String[]::new);
    assertThatIllegalArgumentException().isThrownBy(() -> binding("TOKEN", "bearer", "", more));
    assertThatIllegalArgumentException().isThrownBy(() -> binding("TOKEN", "bearer", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1A", "A-B", "A=B", "COVE_KEY"})
  void a_variable_that_is_none_or_is_coves_own_is_refused(String env) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> binding("TOKEN", "bearer", env, "a.test"));
  }

  @Test
  void a_secret_is_not_added_to_bodies() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new SecretBinding(
                new SecretName("TOKEN"),
                List.of(NetworkRule.of("a.test")),
                new SecretPlace.Body("key"),
                Set.of(),
                List.of(),
                true,
                false,
                ""));
  }

  @Test
  void it_applies_to_its_hosts_ports_methods_and_paths_only() {
    var binding =
        new SecretBinding(
            new SecretName("TOKEN"),
            List.of(NetworkRule.of("a.test:443"), NetworkRule.of("*.b.test")),
            new SecretPlace.Bearer(),
            Set.of("GET"),
            List.of("/v1/*"),
            false,
            false,
            "");
    var get = new Request("GET", "/v1/x");
    assertThat(binding.appliesTo(Destination.parse("a.test:443"), get)).isTrue();
    assertThat(binding.appliesTo(Destination.parse("x.b.test:8443"), get)).isTrue();
    assertThat(binding.concerns(Destination.parse("a.test:443"))).isTrue();
    assertThat(binding.appliesTo(Destination.parse("a.test:444"), get)).isFalse();
    assertThat(binding.appliesTo(Destination.parse("b.test:443"), get)).isFalse();
    assertThat(binding.appliesTo(Destination.parse("a.test:443"), new Request("PUT", "/v1/x")))
        .isFalse();
    assertThat(binding.appliesTo(Destination.parse("a.test:443"), new Request("GET", "/v2")))
        .isFalse();
    assertThat(
            binding.appliesTo(Destination.parse("a.test:443"), new Request("GET", "/v1/../admin")))
        .isFalse();
  }

  @Test
  void a_sandbox_has_at_most_32_and_no_variable_for_two() {
    var one = binding("TOKEN", "bearer", "KEY", "a.test");
    var again = binding("TOKEN", "bearer", "KEY", "b.test");
    var other = binding("OTHER", "bearer", "KEY", "b.test");
    var settings = new NetworkSettings(NetworkPolicy.NOTHING, false);
    assertThat(settings.with(List.of(one, again)).secrets()).hasSize(2);
    assertThat(settings.with(Collections.nCopies(32, one)).with(NetworkPolicy.NOTHING).secrets())
        .hasSize(32);
    assertThatIllegalArgumentException().isThrownBy(() -> settings.with(List.of(one, other)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings.with(Collections.nCopies(33, one)));
  }
}
