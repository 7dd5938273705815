package dev.cove.model.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict.Outcome;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkPolicyTest {
  @Test
  void a_denial_beats_a_permission_however_exact_the_permission_is() {
    NetworkPolicy policy = policy(Fallback.ALLOW, "api.example.com:443", "*.example.com");

    assertThat(outcome(policy, "api.example.com:443")).isEqualTo(Outcome.DENIED);
    assertThat(policy.decide(Destination.parse("api.example.com:443")).rule())
        .isEqualTo("deny *.example.com");
    assertThat(outcome(policy, "example.com:443")).isEqualTo(Outcome.ALLOWED);
  }

  @Test
  void what_no_rule_speaks_of_is_left_to_the_fallback() {
    for (Fallback fallback : Fallback.values()) {
      NetworkPolicy policy = new NetworkPolicy(fallback, Set.of(), List.of(), List.of());
      assertThat(policy.decide(Destination.parse("other.test:1")).rule())
          .isEqualTo("default " + fallback.publicName());
    }
    assertThat(outcome(NetworkPolicy.NOTHING, "other.test:1")).isEqualTo(Outcome.DENIED);
    assertThat(outcome(NetworkPolicy.EVERYTHING, "other.test:1")).isEqualTo(Outcome.ALLOWED);
  }

  @Test
  void a_preset_allows_its_hosts_at_their_ports_and_a_rule_can_take_one_out() {
    var git = new NetworkPolicy(Fallback.DENY, Set.of(Preset.GIT), List.of(), List.of());

    assertThat(outcome(git, "github.com:443")).isEqualTo(Outcome.ALLOWED);
    assertThat(outcome(git, "github.com:80")).isEqualTo(Outcome.DENIED);
    assertThat(outcome(git, "evil-github.com:443")).isEqualTo(Outcome.DENIED);
    assertThat(outcome(git.alsoDenying(NetworkRule.of("github.com")), "github.com:443"))
        .isEqualTo(Outcome.DENIED);
  }

  @Test
  void a_permission_for_some_requests_asks_to_see_them() {
    NetworkRule reads =
        NetworkRule.of("api.test:443").withRequests(Set.of("GET"), List.of("/v1/*"));
    NetworkPolicy policy = NetworkPolicy.NOTHING.alsoAllowing(reads);
    Destination api = Destination.parse("api.test:443");

    assertThat(policy.decide(api).outcome()).isEqualTo(Outcome.BY_REQUEST);
    assertThat(policy.decide(api, new Request("GET", "/v1/users")).outcome())
        .isEqualTo(Outcome.ALLOWED);
    assertThat(policy.decide(api, new Request("POST", "/v1/users")).denied()).isTrue();
    assertThat(policy.decide(api, new Request("get", "/v1/users")).denied()).isTrue();
    assertThat(policy.decide(api, new Request("GET", "/v2/users")).denied()).isTrue();
    assertThat(outcome(policy, "api.test:80")).isEqualTo(Outcome.DENIED);
  }

  @Test
  void a_denial_of_some_requests_leaves_the_others() {
    NetworkRule admin = NetworkRule.of("api.test").withRequests(Set.of(), List.of("/admin*"));
    NetworkPolicy policy = NetworkPolicy.EVERYTHING.alsoDenying(admin);
    Destination api = Destination.parse("api.test:443");

    assertThat(policy.decide(api).outcome()).isEqualTo(Outcome.BY_REQUEST);
    assertThat(policy.decide(api, new Request("GET", "/")).outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(policy.decide(api, new Request("GET", "/admin/x")).denied()).isTrue();
    assertThat(outcome(policy, "other.test:443")).isEqualTo(Outcome.ALLOWED);
    assertThat(NetworkPolicy.NOTHING.alsoDenying(admin).decide(api).denied()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/../admin",
        "/v1/..",
        "/v1/./x",
        "//v1/x",
        "/v1//x",
        "/v1/%2e%2e/admin",
        "/v1/%2E%2E%2Fadmin",
        "/v1/..;/admin",
        "/v1/x;a=b",
        "/v1/..\\admin",
        "/v1/%5c",
        "/v1/%00",
        "/v1/%252e",
        "/v1/%61",
        "/v1/%",
        "/v1/%4",
        "/v1/%zz",
        "/v1/x#y",
        "/v1/x?y",
        "/v1/\u00e4",
        "/v1/a b",
        "v1/x",
        "*",
        ""
      })
  void a_path_that_could_be_read_in_two_ways_is_never_allowed_and_always_denied(String path) {
    NetworkRule v1 = NetworkRule.of("api.test").withRequests(Set.of(), List.of("/v1/*"));
    NetworkRule secret = NetworkRule.of("api.test").withRequests(Set.of(), List.of("/secret"));
    Destination api = Destination.parse("api.test:443");
    var request = new Request("GET", path);

    assertThat(NetworkPolicy.NOTHING.alsoAllowing(v1).decide(api, request).denied()).isTrue();
    assertThat(NetworkPolicy.EVERYTHING.alsoDenying(secret).decide(api, request).denied()).isTrue();
  }

  @Test
  void harmless_escapes_are_part_of_a_path() {
    NetworkRule v1 = NetworkRule.of("api.test").withRequests(Set.of(), List.of("/v1/*"));
    Destination api = Destination.parse("api.test:443");
    NetworkPolicy policy = NetworkPolicy.NOTHING.alsoAllowing(v1);
    for (String path : List.of("/v1/a%20b", "/v1/a%3Ab", "/v1/a.b", "/v1/..a", "/v1/@x/y-1_~")) {
      assertThat(policy.decide(api, new Request("GET", path)).denied()).as(path).isFalse();
    }
  }

  @Test
  void a_method_cannot_be_disguised_from_a_denial_by_its_case() {
    NetworkRule writes = NetworkRule.of("api.test").withRequests(Set.of("POST"), List.of());
    NetworkPolicy policy = NetworkPolicy.EVERYTHING.alsoDenying(writes);
    Destination api = Destination.parse("api.test:443");

    assertThat(policy.decide(api, new Request("post", "/")).denied()).isTrue();
    assertThat(policy.decide(api, new Request("PUT", "/")).denied()).isFalse();
  }

  @Test
  void many_stars_take_no_longer_than_the_lengths_allow() {
    NetworkRule stars =
        NetworkRule.of("api.test").withRequests(Set.of(), List.of("/" + "a*".repeat(500) + "b"));
    NetworkPolicy policy = NetworkPolicy.NOTHING.alsoAllowing(stars);
    var request = new Request("GET", "/" + "a".repeat(100_000));
    long start = System.nanoTime();

    assertThat(policy.decide(Destination.parse("api.test:1"), request).denied()).isTrue();
    assertThat(System.nanoTime() - start).isLessThan(2_000_000_000L);
  }

  @Test
  void an_address_behind_a_name_can_be_denied() {
    NetworkPolicy policy = policy(Fallback.ALLOW, "a.test", "203.0.113.0/24:443");
    InetAddress address = InetAddress.ofLiteral("203.0.113.9");

    assertThat(policy.denies(address, 443)).isPresent();
    assertThat(policy.denies(address, 80)).isEmpty();
    assertThat(policy.denies(InetAddress.ofLiteral("203.0.114.9"), 443)).isEmpty();
  }

  @Test
  void a_rule_for_a_name_says_nothing_of_the_address_itself() {
    NetworkPolicy policy = policy(Fallback.DENY, "*.example.com", "other.test");

    assertThat(outcome(policy, "192.0.2.1:443")).isEqualTo(Outcome.DENIED);
  }

  @Test
  void the_telling_ports_are_all_that_a_decision_can_hang_on() {
    NetworkPolicy policy =
        new NetworkPolicy(
            Fallback.ASK,
            Set.of(Preset.GIT),
            List.of(NetworkRule.of("github.com:8000-8999"), NetworkRule.of("*:65535")),
            List.of(NetworkRule.of("*.com:25"), NetworkRule.of("else.test:99")));
    Destination.Host host = Destination.parse("github.com:1").host();

    assertThat(policy.tellingPorts(host))
        .containsExactly(1, 22, 23, 25, 26, 443, 444, 8000, 9000, 65_535);
    Outcome last = Outcome.DENIED;
    for (int port = 1; port <= 65_535; port++) {
      Outcome outcome = policy.decide(new Destination(host, port)).outcome();
      if (outcome != last) {
        assertThat(policy.tellingPorts(host)).contains(port);
      }
      last = outcome;
    }
  }

  @Test
  void there_is_a_limit_to_the_number_of_rules() {
    NetworkRule rule = NetworkRule.of("a.test");
    var full =
        new NetworkPolicy(
            Fallback.DENY, Set.of(), Collections.nCopies(NetworkPolicy.MAX_RULES, rule), List.of());

    assertThat(full.alsoAllowing(rule).allow()).hasSize(NetworkPolicy.MAX_RULES);
    assertThatThrownBy(() -> full.alsoAllowing(NetworkRule.of("b.test")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("512");
  }

  @Test
  void to_allow_what_was_denied_takes_the_denial_back() {
    NetworkRule rule = NetworkRule.of("a.test:443");
    NetworkPolicy denied = NetworkPolicy.EVERYTHING.alsoDenying(rule);

    assertThat(outcome(denied, "a.test:443")).isEqualTo(Outcome.DENIED);
    assertThat(outcome(denied.alsoAllowing(rule), "a.test:443")).isEqualTo(Outcome.ALLOWED);
  }

  private static NetworkPolicy policy(Fallback fallback, String allow, String deny) {
    return new NetworkPolicy(
        fallback, Set.of(), List.of(NetworkRule.of(allow)), List.of(NetworkRule.of(deny)));
  }

  private static Outcome outcome(NetworkPolicy policy, String destination) {
    return policy.decide(Destination.parse(destination)).outcome();
  }
}
