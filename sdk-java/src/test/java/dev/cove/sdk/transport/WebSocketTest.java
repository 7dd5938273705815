package dev.cove.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("StringConcatToTextBlock") // the lines end in CR LF
@Timeout(30)
class WebSocketTest {
  private static final Request UPGRADE = Request.of("GET", "/attach");

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  /** Shakes hands, sends these bytes, and keeps what comes back. */
  private static ScriptedServer sending(byte[] bytes, CompletableFuture<byte[]> received)
      throws IOException {
    return new ScriptedServer(peer -> {
      WebSocketPeer.handshake(peer);
      peer.send(bytes);
      received.complete(peer.readToEnd());
    });
  }

  private static ScriptedServer sending(String hexBytes) throws IOException {
    return sending(hex(hexBytes), new CompletableFuture<>());
  }

  @Test
  void text_and_binary_messages_arrive_in_order() throws IOException {
    try (var server = sending("8102 6869 8203 010203");
        var client = server.client();
        var socket = client.openWebSocket(UPGRADE)) {
      assertThat(socket.receive()).isEqualTo(new WebSocket.Message.Text("hi"));
      assertThat(((WebSocket.Message.Binary) socket.receive()).bytes()).containsExactly(1, 2, 3);
    }
  }

  @Test
  void a_message_in_parts_is_put_together_and_a_ping_between_them_is_answered() throws Exception {
    var received = new CompletableFuture<byte[]>();
    try (var server = sending(hex("0102 6865 8903 616263 0001 6c 8002 6c6f"), received);
        var client = server.client()) {
      try (var socket = client.openWebSocket(UPGRADE)) {
        assertThat(socket.receive()).isEqualTo(new WebSocket.Message.Text("hello"));
      }
      InputStream back = new ByteArrayInputStream(received.get());
      assertThat(WebSocketPeer.readFrame(back)).isEqualTo("pong abc");
      assertThat(WebSocketPeer.readFrame(back)).startsWith("close");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 125, 126, 65_535, 65_536, 200_000})
  void what_we_send_is_masked_and_arrives_whole(int size) throws Exception {
    byte[] payload = new byte[size];
    for (int i = 0; i < size; i++) {
      payload[i] = (byte) (i * 31);
    }
    var received = new CompletableFuture<byte[]>();
    try (var server = sending(new byte[0], received);
        var client = server.client()) {
      try (var socket = client.openWebSocket(UPGRADE)) {
        socket.sendBinary(payload, 0, size);
      }
      InputStream back = new ByteArrayInputStream(received.get());
      assertThat(WebSocketPeer.readPayload(back)).isEqualTo(payload);
    }
  }

  @Test
  void no_two_frames_share_a_mask() throws Exception {
    var received = new CompletableFuture<byte[]>();
    try (var server = sending(new byte[0], received);
        var client = server.client()) {
      try (var socket = client.openWebSocket(UPGRADE)) {
        socket.sendBinary(new byte[4], 0, 4);
        socket.sendBinary(new byte[4], 0, 4);
      }
      byte[] back = received.get();
      assertThat(Arrays.copyOfRange(back, 2, 6)).isNotEqualTo(Arrays.copyOfRange(back, 12, 16));
    }
  }

  @Test
  void a_close_gives_its_code_and_reason_and_is_answered() throws Exception {
    var received = new CompletableFuture<byte[]>();
    try (var server = sending(hex("8805 03f1 627965"), received);
        var client = server.client()) {
      try (var socket = client.openWebSocket(UPGRADE)) {
        assertThat(socket.receive()).isEqualTo(new WebSocket.Message.Closed(1009, "bye"));
        assertThatThrownBy(() -> socket.sendText("late")).isInstanceOf(IOException.class);
      }
      InputStream back = new ByteArrayInputStream(received.get());
      assertThat(WebSocketPeer.readFrame(back)).startsWith("close");
      assertThat(back.available()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a masked frame, 8182 00000000 6869",
    "a reserved bit, c102 6869",
    "an unknown kind, 8302 6869",
    "an unknown control kind, 8b00",
    "a control frame in parts, 0900",
    "a long control frame, 897e0080",
    "a continuation of nothing, 8001 61",
    "a message inside another, 010161 810162",
    "a length beyond the limit, 827f0000000000400001",
    "a negative length, 827fffffffffffffffff",
    "text that is not UTF-8, 8102 fffe",
    "half a close code, 8801 03",
    "a frame that breaks off, 8205 0102",
  })
  void a_server_that_breaks_the_protocol_is_not_believed(String what, String frames)
      throws IOException {
    try (var server =
            new ScriptedServer(peer -> {
              WebSocketPeer.handshake(peer);
              peer.send(hex(frames));
            });
        var client = server.client();
        var socket = client.openWebSocket(UPGRADE)) {
      assertThatThrownBy(socket::receive).as(what).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void parts_that_add_up_to_too_much_are_refused() throws IOException {
    try (var server =
            new ScriptedServer(peer -> {
              WebSocketPeer.handshake(peer);
              byte[] part = new byte[1 << 20];
              peer.send(hex("027f0000000000100000")).send(part);
              for (int i = 0; i < 4; i++) {
                peer.send(hex("007f0000000000100000")).send(part);
              }
            });
        var client = server.client();
        var socket = client.openWebSocket(UPGRADE)) {
      assertThatThrownBy(socket::receive).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void a_connection_that_just_ends_is_an_error_not_a_close() throws IOException {
    try (var server = new ScriptedServer(WebSocketPeer::handshake);
        var client = server.client();
        var socket = client.openWebSocket(UPGRADE)) {
      assertThatThrownBy(socket::receive).isInstanceOf(IOException.class);
    }
  }

  @Test
  void a_refused_handshake_tells_status_and_body() throws IOException {
    try (var server =
            new ScriptedServer(peer -> {
              peer.readHead();
              peer.send("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope");
            });
        var client = server.client()) {
      assertThatThrownBy(() -> client.openWebSocket(UPGRADE))
          .isInstanceOfSatisfying(
              UpgradeRefusedException.class,
              e -> {
                assertThat(e.status()).isEqualTo(404);
                assertThat(e.body()).asString(StandardCharsets.UTF_8).isEqualTo("nope");
              });
    }
  }

  @Test
  void a_server_that_did_not_read_our_key_is_no_websocket() throws IOException {
    try (var server =
            new ScriptedServer(peer -> {
              peer.readHead();
              peer.send(
                  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                      + "Connection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n");
            });
        var client = server.client()) {
      assertThatThrownBy(() -> client.openWebSocket(UPGRADE)).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void closing_ends_a_sender_that_is_stuck_because_nobody_reads() throws Exception {
    var release = new CountDownLatch(1);
    try (var server =
            new ScriptedServer(peer -> {
              WebSocketPeer.handshake(peer);
              release.await();
            });
        var client = server.client()) {
      var socket = client.openWebSocket(UPGRADE);
      var filled = new CountDownLatch(1);
      var ended = new CompletableFuture<Throwable>();
      Thread.ofVirtual()
          .start(() -> {
            try {
              byte[] piece = new byte[1 << 20];
              for (int i = 0; i < 1_000; i++) {
                socket.sendBinary(piece, 0, piece.length);
                filled.countDown();
              }
            } catch (IOException e) {
              ended.complete(e);
            }
          });
      filled.await();
      socket.close();
      assertThat(ended.get()).isInstanceOf(IOException.class);
      release.countDown();
    }
  }

  @Test
  void entropy_gives_other_bytes_each_time() {
    var entropy = new Entropy();
    var seen = new ByteArrayOutputStream();
    for (int i = 0; i < 100; i++) {
      seen.writeBytes(entropy.bytes(16));
    }
    byte[] all = seen.toByteArray();
    for (int i = 16; i < all.length; i += 16) {
      assertThat(Arrays.copyOfRange(all, i, i + 16)).isNotEqualTo(Arrays.copyOfRange(all, 0, 16));
    }
  }
}
