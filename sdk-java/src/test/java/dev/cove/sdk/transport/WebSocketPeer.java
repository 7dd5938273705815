package dev.cove.sdk.transport;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server's end of a WebSocket, just enough of it to talk to our client. */
@SuppressWarnings("StringConcatToTextBlock") // the lines end in CR LF
public final class WebSocketPeer {
  private static final Pattern KEY = Pattern.compile("Sec-WebSocket-Key: (\\S+)\r\n");

  private WebSocketPeer() {}

  /** Answers the upgrade and gives its head. */
  public static String handshake(ScriptedServer.Peer peer) throws Exception {
    String head = peer.readHead();
    Matcher key = KEY.matcher(head);
    if (!key.find()) {
      throw new IllegalStateException("The handshake has no key");
    }
    byte[] digest =
        MessageDigest.getInstance("SHA-1")
            .digest(
                (key.group(1) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                    .getBytes(StandardCharsets.US_ASCII));
    peer.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: "
            + Base64.getEncoder().encodeToString(digest)
            + "\r\n\r\n");
    return head;
  }

  public static byte[] text(String text) {
    return frame(0x81, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Output of a command: the number of the stream, then the bytes. */
  public static byte[] output(int stream, byte[] bytes) {
    byte[] payload = new byte[bytes.length + 1];
    payload[0] = (byte) stream;
    System.arraycopy(bytes, 0, payload, 1, bytes.length);
    return frame(0x82, payload);
  }

  public static byte[] close(int code) {
    return frame(0x88, new byte[] {(byte) (code >> 8), (byte) code});
  }

  private static byte[] frame(int first, byte[] payload) {
    var frame = new ByteArrayOutputStream();
    frame.write(first);
    if (payload.length < 126) {
      frame.write(payload.length);
    } else if (payload.length < 65_536) {
      frame.write(126);
      frame.write(payload.length >> 8);
      frame.write(payload.length);
    } else {
      frame.write(127);
      for (int shift = 56; shift >= 0; shift -= 8) {
        frame.write((int) ((long) payload.length >> shift));
      }
    }
    frame.writeBytes(payload);
    return frame.toByteArray();
  }

  /** The client's next frame as words: {@code text ...}, {@code pong ...} and so on. */
  public static String readFrame(InputStream in) throws IOException {
    int first = require(in);
    String kind =
        switch (first) {
          case 0x81 -> "text";
          case 0x82 -> "binary";
          case 0x88 -> "close";
          case 0x8a -> "pong";
          default -> throw new IOException("unexpected frame " + first);
        };
    return kind + " " + new String(rest(in), StandardCharsets.UTF_8);
  }

  public static byte[] readPayload(InputStream in) throws IOException {
    require(in);
    return rest(in);
  }

  private static byte[] rest(InputStream in) throws IOException {
    int second = require(in);
    if ((second & 0x80) == 0) {
      throw new IOException("a client must mask its frames");
    }
    long length = second & 0x7f;
    int extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (extra > 0) {
      length = 0;
      for (int i = 0; i < extra; i++) {
        length = (length << 8) | require(in);
      }
    }
    byte[] mask = in.readNBytes(4);
    byte[] payload = in.readNBytes((int) length);
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i & 3];
    }
    return payload;
  }

  private static int require(InputStream in) throws IOException {
    int value = in.read();
    if (value < 0) {
      throw new EOFException("no more frames");
    }
    return value;
  }
}
