package dev.cove.model.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkRuleTest {
  @ParameterizedTest
  @CsvSource({
    "example.com, example.com:443, true",
    "example.com:443, example.com:443, true",
    "example.com:443, example.com:80, false",
    "example.com:8000-8999, example.com:8999, true",
    "example.com:8000-8999, example.com:9000, false",
    "example.com, EXAMPLE.com.:443, true",
    "example.com, example.com.evil.test:443, false",
    "example.com, notexample.com:443, false",
    "example.com, www.example.com:443, false",
    "*.example.com, www.example.com:443, true",
    "*.example.com, a.b.example.com:443, true",
    "*.example.com, example.com:443, false",
    "*.example.com, notexample.com:443, false",
    "*, anything.test:1, true",
    "*, 192.0.2.1:1, true",
    "*:22, anything.test:23, false",
    "192.0.2.0/24, 192.0.2.255:1, true",
    "192.0.2.0/24, 192.0.3.0:1, false",
    "192.0.2.7, 192.0.2.7:1, true",
    "[2001:db8::/32], [2001:db8:1::1]:1, true",
    "[2001:db8::/32], [2001:db9::1]:1, false",
    "[2001:db8::1]:443, [2001:db8:0::1]:443, true",
    "192.0.2.7, [::ffff:192.0.2.7]:1, true",
    "b\u00fccher.example, xn--bcher-kva.example:1, true",
    "example.com, ex\u0430mple.com:1, false"
  })
  void a_rule_speaks_of(String rule, String destination, boolean expected) {
    assertThat(NetworkRule.of(rule).matches(Destination.parse(destination))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0x7f000001",
        "0x7f.0.0.1",
        "127.1",
        "2130706433",
        "0177.0.0.1",
        "127.0.0.01",
        "127.0.0.1.",
        "127.0.0.256",
        "127.0.0",
        "1.2.3.4.5",
        "\uff11\uff12\uff17.0.0.1",
        "a.0x7f",
        "a.1",
        "::1",
        "[::1",
        "[::ffff:010.0.0.1]",
        "[fe80::1%eth0]",
        "[::g]",
        "[example.com]",
        "user@example.com",
        "example.com/path",
        "http://example.com",
        "exa mple.com",
        "example..com",
        ".example.com",
        "-a.test",
        "a-.test",
        "*.*.test",
        "*a.test",
        "a.*.test",
        "",
        ".",
        ":443",
        "a.test:",
        "a.test:0",
        "a.test:65536",
        "a.test:02280",
        "a.test:+80",
        "a.test:80-70",
        "a.test:1-2-3",
        "10.0.0.1/8",
        "10.0.0.0/33",
        "10.0.0.0/08x",
        "[2001:db8::/129]"
      })
  void what_is_not_plainly_a_rule_is_refused(String text) {
    assertThatThrownBy(() -> NetworkRule.of(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.com",
        "*.example.com:443",
        "*",
        "*:1-1024",
        "192.0.2.7",
        "10.0.0.0/8:5432",
        "[2001:db8:0:0:0:0:0:0/32]",
        "[2001:db8:0:0:0:0:0:1]:443"
      })
  void a_rule_is_written_as_it_is_read(String text) {
    assertThat(NetworkRule.of(text)).hasToString(text);
    assertThat(NetworkRule.of(NetworkRule.of(text).hostAndPorts())).isEqualTo(NetworkRule.of(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.com", "example.com:x", "::1:80", "[10.0.0.1]:80", ":80", "a:0"})
  void what_is_not_plainly_a_destination_is_refused(String text) {
    assertThatThrownBy(() -> Destination.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void an_address_is_itself_whatever_interface_it_was_seen_at() throws Exception {
    InetAddress scoped =
        Inet6Address.getByAddress(null, InetAddress.ofLiteral("fe80::1").getAddress(), 1);

    assertThat(Destination.of(scoped, 80)).isEqualTo(Destination.parse("[fe80::1]:80"));
    assertThat(Destination.of(scoped, 80)).hasToString("[fe80:0:0:0:0:0:0:1]:80");
  }

  @Test
  void names_and_labels_have_a_longest_length() {
    String label = "a".repeat(63);
    String longest = String.join(".", label, label, label, "a".repeat(61));

    assertThat(DomainName.of(longest + ".").value()).hasSize(253);
    assertThatThrownBy(() -> DomainName.of(longest + "a"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> DomainName.of(label + "a.test"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void conditions_have_limits_and_one_spelling() {
    NetworkRule rule = NetworkRule.of("a.test");
    List<String> paths = Collections.nCopies(33, "/");
    Set<String> letters =
        Set.copyOf(
            IntStream.range(0, 33)
                .mapToObj(i -> "M" + "A".repeat(i % 19) + (char) ('A' + i % 26))
                .toList());

    assertThatThrownBy(() -> rule.withRequests(Set.of(), paths))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> rule.withRequests(letters, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> rule.withRequests(Set.of("get"), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> rule.withRequests(Set.of(), List.of("v1")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> rule.withRequests(Set.of(), List.of("/" + "a".repeat(1_024))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(rule.withRequests(Set.of("PUT", "GET"), List.of("/a", "/b")))
        .hasToString("a.test GET,PUT /a /b");
  }
}
