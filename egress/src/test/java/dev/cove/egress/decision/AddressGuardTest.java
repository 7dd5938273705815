package dev.cove.egress.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.network.AddressRange;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, unspecified",
    "0.1.2.3, unspecified",
    "10.0.0.0, private",
    "10.255.255.255, private",
    "172.16.0.1, private",
    "172.31.255.255, private",
    "192.168.1.1, private",
    "100.64.0.1, shared",
    "100.127.255.255, shared",
    "127.0.0.2, loopback",
    "127.255.255.255, loopback",
    "169.254.1.1, link-local",
    "169.254.169.254, metadata",
    "169.254.170.2, metadata",
    "100.100.100.200, metadata",
    "168.63.129.16, metadata",
    "fd00:ec2::254, metadata",
    "198.18.0.1, inside",
    "198.19.255.255, inside",
    "224.0.0.1, multicast",
    "239.255.255.250, multicast",
    "240.0.0.1, reserved",
    "255.255.255.255, reserved",
    "192.0.0.1, reserved",
    "::, unspecified",
    "::ffff:10.0.0.1, private",
    "::ffff:169.254.169.254, metadata",
    "::10.0.0.1, reserved",
    "::203.0.113.1, reserved",
    "fe80::1, link-local",
    "fec0::1, link-local",
    "fc00::1, private",
    "fd12:3456::1, private",
    "ff02::1, multicast",
    "64:ff9b::10.0.0.1, private",
    "64:ff9b::169.254.169.254, metadata",
    "64:ff9b:1::1, reserved",
    "2002:0a00:0001::1, private",
    "2002:7f00:0001::1, loopback",
    "2002:a9fe:a9fe::1, metadata",
    "2001:0:0a00:0001::1, private",
    "2001:0:cb00:7101:0:0:80ff:fffe, loopback",
    "2001:db8::5efe:10.0.0.1, private",
    "2001:db8::200:5efe:192.168.0.1, private",
    "100::1, reserved",
    "::ffff:0:10.0.0.1, reserved"
  })
  void no_rule_can_allow(String address, String kind) throws Exception {
    assertThat(guard().objection(InetAddress.ofLiteral(address), 443)).contains("never " + kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.2.1",
        "198.17.255.255",
        "198.20.0.1",
        "203.0.113.1",
        "223.255.255.255",
        "2001:db8::1",
        "2606:4700::1111",
        "64:ff9b::203.0.113.1",
        "2002:cb00:7101::1"
      })
  void the_world_is_left_to_rules(String address) throws Exception {
    assertThat(guard().objection(InetAddress.ofLiteral(address), 443)).isEmpty();
  }

  @Test
  void this_machines_own_addresses_open_only_one_by_one() throws Exception {
    Optional<InetAddress> own =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> address.getAddress().length == 4)
            .findFirst();
    InetAddress address = own.orElseThrow();
    byte[] network = Arrays.copyOf(Arrays.copyOf(address.getAddress(), 1), 4);
    String around = InetAddress.getByAddress(network).getHostAddress() + "/8";

    assertThat(guard().objection(address, 80)).isPresent();
    assertThat(guard(around).objection(address, 80)).isPresent();
    assertThat(guard(address.getHostAddress()).objection(address, 80)).isEmpty();
    assertThat(guard(address.getHostAddress()).objection(address, 2280)).contains("never own port");
  }

  @Test
  void what_the_operator_opens_is_open_but_for_metadata_and_coves_own_ports() throws Exception {
    AddressGuard guard = guard("10.0.0.0/8", "169.254.0.0/16", "127.77.0.0/16", "fd00::/8");

    assertThat(guard.objection(InetAddress.ofLiteral("10.1.2.3"), 2280)).isEmpty();
    assertThat(guard.objection(InetAddress.ofLiteral("127.77.0.1"), 80)).isEmpty();
    assertThat(guard.objection(InetAddress.ofLiteral("127.77.0.1"), 2280))
        .contains("never own port");
    assertThat(guard.objection(InetAddress.ofLiteral("127.78.0.1"), 80)).contains("never loopback");
    assertThat(guard.objection(InetAddress.ofLiteral("169.254.0.9"), 80)).isEmpty();
    assertThat(guard.objection(InetAddress.ofLiteral("169.254.169.254"), 80))
        .contains("never metadata");
    assertThat(guard.objection(InetAddress.ofLiteral("fd00:ec2::254"), 80))
        .contains("never metadata");
    assertThat(guard.objection(InetAddress.ofLiteral("203.0.113.77"), 80)).contains("never host");
  }

  private static AddressGuard guard(String... opened) throws Exception {
    return new AddressGuard(
        Arrays.stream(opened).map(AddressRange::of).toList(),
        List.of(AddressRange.of("203.0.113.77")),
        Set.of(2280),
        new HostAddresses());
  }
}
