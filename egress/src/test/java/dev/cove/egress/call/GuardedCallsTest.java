package dev.cove.egress.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.egress.decision.AddressGuard;
import dev.cove.egress.decision.HostAddresses;
import dev.cove.egress.name.Resolution;
import dev.cove.egress.name.Resolver;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.DomainName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedCallsTest {
  private static final byte[] BODY = "{}".getBytes(StandardCharsets.US_ASCII);

  private final AtomicInteger lookUps = new AtomicInteger();
  private volatile List<String> addresses = List.of("127.0.0.1");
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  @Test
  void a_request_is_posted_whole_and_its_status_comes_back() throws Exception {
    CompletableFuture<String> heard =
        answer("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok");
    int status =
        calls("127.0.0.1").post(url("hook.test", "/a?b=c"), Map.of("Cove-Event", "7"), BODY);
    assertThat(status).isEqualTo(202);
    assertThat(heard.get(20, TimeUnit.SECONDS))
        .startsWith("POST /a?b=c HTTP/1.1\r\nHost: hook.test:" + server.getLocalPort() + "\r\n")
        .contains("Cove-Event: 7\r\n")
        .endsWith("\r\n\r\n{}");
  }

  @Test
  void a_redirect_is_an_answer_and_nothing_else() throws Exception {
    var _ = answer("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n");
    assertThat(calls("127.0.0.1").post(url("hook.test", "/"), Map.of(), BODY)).isEqualTo(302);
    assertThat(lookUps).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "192.168.1.1",
        "::1",
        "fd00:ec2::254",
        "fe80::1",
        "::ffff:127.0.0.1"
      })
  void a_name_that_leads_inside_is_never_dialled(String inside) {
    addresses = List.of(inside);
    assertThatThrownBy(() -> calls().post(url("hook.test", "/"), Map.of(), BODY))
        .hasMessageContaining("closed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1", "0.0.0.0"})
  void nor_is_such_an_address_as_it_stands(String host) {
    assertThatThrownBy(() -> calls().post(url(host, "/"), Map.of(), BODY))
        .hasMessageContaining("closed");
    assertThat(lookUps).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2130706433", "0x7f000001", "127.1"})
  void nor_one_in_disguise(String host) {
    assertThatThrownBy(
            () -> calls("127.0.0.1").post(URI.create("http://" + host + "/"), Map.of(), BODY))
        .isInstanceOf(IOException.class);
  }

  @Test
  void of_several_addresses_only_those_are_dialled_that_are_open() throws Exception {
    addresses = List.of("10.0.0.1", "127.0.0.1");
    var _ = answer("HTTP/1.1 200 OK\r\n\r\n");
    assertThat(calls("127.0.0.1").post(url("hook.test", "/"), Map.of(), BODY)).isEqualTo(200);
  }

  @Test
  void one_that_never_answers_is_left() throws Exception {
    CompletableFuture<Socket> held = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        held.complete(server.accept());
      } catch (IOException e) {
        held.completeExceptionally(e);
      }
    });
    assertThatThrownBy(() -> calls("127.0.0.1").post(url("hook.test", "/"), Map.of(), BODY))
        .hasMessage("It did not answer in time");
    held.get(20, TimeUnit.SECONDS).close();
  }

  @Test
  void an_endless_or_foreign_answer_is_refused() {
    var _ = answer("x".repeat(100_000));
    assertThatThrownBy(() -> calls("127.0.0.1").post(url("hook.test", "/"), Map.of(), BODY))
        .hasMessage("What it answered is not HTTP");
  }

  @Test
  void a_port_where_nobody_listens_is_told() throws IOException {
    server.close();
    assertThatThrownBy(() -> calls("127.0.0.1").post(url("hook.test", "/"), Map.of(), BODY))
        .hasMessageContaining("cannot be connected to");
  }

  private URI url(String host, String path) {
    return URI.create("http://" + host + ":" + server.getLocalPort() + path);
  }

  private GuardedCalls calls(String... opened) throws IOException {
    var ranges = new ArrayList<AddressRange>();
    for (String range : opened) {
      ranges.add(AddressRange.of(range));
    }
    var guard = new AddressGuard(ranges, List.of(), Set.of(), new HostAddresses());
    return new GuardedCalls(new FixedNames(), guard, Duration.ofSeconds(2));
  }

  private final class FixedNames implements Resolver {
    @Override
    public Resolution resolve(DomainName name) {
      lookUps.incrementAndGet();
      var found = new ArrayList<InetAddress>();
      addresses.forEach(text -> found.add(AddressRange.address(text).orElseThrow()));
      return new Resolution.Found(found, List.of(), Duration.ZERO);
    }

    @Override
    public void close() {}
  }

  private CompletableFuture<String> answer(String text) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Socket socket = server.accept()) {
            var in = socket.getInputStream();
            var heard = new StringBuilder();
            while (!heard.toString().endsWith("\r\n\r\n{}")) {
              int b = in.read();
              if (b < 0) {
                break;
              }
              heard.append((char) b);
            }
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return heard.toString();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        },
        Thread::startVirtualThread);
  }
}
