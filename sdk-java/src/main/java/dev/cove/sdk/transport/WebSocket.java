package dev.cove.sdk.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a WebSocket (RFC 6455), without extensions. One thread receives; any thread
 * may send.
 */
public final class WebSocket implements AutoCloseable {
  /** Larger than anything the server has reason to send in one message. */
  static final int MAX_MESSAGE = 4 * 1024 * 1024;

  private static final String ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(30);
  private static final int MAX_CONTROL = 125;
  private static final int NORMAL = 1000;
  private static final int GOODBYE_MILLIS = 200;

  private static final int CONTINUATION = 0x0;
  private static final int TEXT = 0x1;
  private static final int BINARY = 0x2;
  private static final int CLOSE = 0x8;
  private static final int PING = 0x9;
  private static final int PONG = 0xA;

  /** What arrived. */
  public sealed interface Message {
    /** A text message. */
    record Text(String text) implements Message {}

    /** A binary message. */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record Binary(byte[] bytes) implements Message {}

    /**
     * The end; nothing comes after it.
     *
     * @param code 1005 when the server gave none, 1006 when the connection just ended
     */
    record Closed(int code, String reason) implements Message {}
  }

  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  private record Frame(boolean last, int opcode, byte[] payload) {}

  private final HttpConnection connection;
  private final WireInput input;
  private final OutputStream output;
  private final Entropy entropy = new Entropy();
  private final ReentrantLock sending = new ReentrantLock();
  private boolean closeSent;

  private WebSocket(HttpConnection connection) {
    this.connection = connection;
    this.input = connection.input();
    this.output = connection.output();
  }

  static WebSocket open(
      HttpConnection connection, Request request, String authority, Map<String, String> common)
      throws IOException {
    var socket = new WebSocket(connection);
    String key = Base64.getEncoder().encodeToString(socket.entropy.bytes(16));
    Request upgrade =
        request
            .header("Upgrade", "websocket")
            .header("Connection", "Upgrade")
            .header("Sec-WebSocket-Key", key)
            .header("Sec-WebSocket-Version", "13")
            .readTimeout(HANDSHAKE_TIMEOUT);
    ResponseHead head = connection.exchange(upgrade, authority, common);
    if (head.status() != 101) {
      ResponseBody body = ResponseBody.of("GET", head, connection.input());
      throw new UpgradeRefusedException(head.status(), body.readNBytes(MAX_MESSAGE));
    }
    if (!head.find("sec-websocket-accept").orElse("").equals(acceptFor(key))) {
      throw new ProtocolException("The server's WebSocket handshake does not match our key");
    }
    connection.readTimeout(Duration.ZERO);
    return socket;
  }

  private static String acceptFor(String key) {
    try {
      byte[] text = (key + ACCEPT_SUFFIX).getBytes(StandardCharsets.US_ASCII);
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This Java has no SHA-1", e);
    }
  }

  public void sendText(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    send(TEXT, bytes, 0, bytes.length);
  }

  public void sendBinary(byte[] bytes, int offset, int length) throws IOException {
    send(BINARY, bytes, offset, length);
  }

  /** Blocks until a message is whole. Pings are answered on the way. */
  public Message receive() throws IOException {
    int messageOpcode = -1;
    @Nullable ByteArrayOutputStream fragments = null;
    while (true) {
      Frame frame = readFrame();
      switch (frame.opcode) {
        case PING -> send(PONG, frame.payload, 0, frame.payload.length);
        case PONG -> {}
        case CLOSE -> {
          return closed(frame.payload);
        }
        case TEXT, BINARY -> {
          if (fragments != null) {
            throw new ProtocolException("The server began a message inside another");
          }
          if (frame.last) {
            return message(frame.opcode, frame.payload);
          }
          messageOpcode = frame.opcode;
          fragments = new ByteArrayOutputStream();
          fragments.writeBytes(frame.payload);
        }
        case CONTINUATION -> {
          if (fragments == null) {
            throw new ProtocolException("The server continued a message that it had not begun");
          }
          if (fragments.size() + frame.payload.length > MAX_MESSAGE) {
            throw tooLong();
          }
          fragments.writeBytes(frame.payload);
          if (frame.last) {
            return message(messageOpcode, fragments.toByteArray());
          }
        }
        default -> throw new ProtocolException("The server sent a frame of an unknown kind");
      }
    }
  }

  private Frame readFrame() throws IOException {
    int first = input.require();
    int second = input.require();
    if ((first & 0x70) != 0) {
      throw new ProtocolException("The server used an extension that was not agreed on");
    }
    if ((second & 0x80) != 0) {
      throw new ProtocolException("The server masked a frame, which only clients do");
    }
    int opcode = first & 0xf;
    boolean last = (first & 0x80) != 0;
    long length = second & 0x7f;
    if (opcode >= CLOSE && (length > MAX_CONTROL || !last)) {
      throw new ProtocolException("The server sent a control frame that is too long or in parts");
    }
    if (length == 126) {
      length = readNumber(2);
    } else if (length == 127) {
      length = readNumber(8);
    }
    if (length < 0 || length > MAX_MESSAGE) {
      throw tooLong();
    }
    byte[] payload = input.readNBytes((int) length);
    if (payload.length < length) {
      throw new ProtocolException("The server closed the connection in the middle of a frame");
    }
    return new Frame(last, opcode, payload);
  }

  private long readNumber(int bytes) throws IOException {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = (value << 8) | input.require();
    }
    return value;
  }

  private static ProtocolException tooLong() {
    return new ProtocolException(
        "The server sent a message of more than " + MAX_MESSAGE + " bytes");
  }

  private static Message message(int opcode, byte[] payload) throws IOException {
    return opcode == TEXT ? new Message.Text(decode(payload)) : new Message.Binary(payload);
  }

  private static String decode(byte[] utf8) throws IOException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new ProtocolException("The server sent text that is not UTF-8");
    }
  }

  private Message closed(byte[] payload) throws IOException {
    if (payload.length == 1) {
      throw new ProtocolException("The server sent half a close code");
    }
    int code = payload.length < 2 ? 1005 : ((payload[0] & 0xff) << 8) | (payload[1] & 0xff);
    String reason =
        payload.length < 2
            ? ""
            : new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
    sendClose();
    return new Message.Closed(code, reason);
  }

  private void send(int opcode, byte[] payload, int offset, int length) throws IOException {
    sending.lock();
    try {
      if (closeSent) {
        throw new IOException("The WebSocket is closed");
      }
      output.write(0x80 | opcode);
      writeLength(length);
      byte[] mask = entropy.bytes(4);
      output.write(mask);
      output.write(masked(payload, offset, length, mask));
      output.flush();
    } finally {
      sending.unlock();
    }
  }

  private void writeLength(int length) throws IOException {
    if (length <= MAX_CONTROL) {
      output.write(0x80 | length);
    } else if (length <= 0xffff) {
      output.write(0x80 | 126);
      output.write(length >> 8);
      output.write(length);
    } else {
      output.write(0x80 | 127);
      output.write(ByteBuffer.allocate(Long.BYTES).putLong(length).array());
    }
  }

  private static byte[] masked(byte[] payload, int offset, int length, byte[] mask) {
    byte[] result = new byte[length];
    for (int i = 0; i < length; i++) {
      result[i] = (byte) (payload[offset + i] ^ mask[i & 3]);
    }
    return result;
  }

  private void sendClose() throws IOException {
    sending.lock();
    try {
      if (!closeSent) {
        send(CLOSE, new byte[] {NORMAL >> 8, (byte) NORMAL}, 0, 2);
        closeSent = true;
      }
    } finally {
      sending.unlock();
    }
  }

  /** Says goodbye if the socket still takes it, and ends the connection. */
  @Override
  public void close() {
    try {
      // A sender that is stuck because the server does not read must not hold us up.
      if (sending.tryLock(GOODBYE_MILLIS, TimeUnit.MILLISECONDS)) {
        try {
          sendClose();
        } finally {
          sending.unlock();
        }
      }
    } catch (IOException e) {
      // The peer is gone already, which is what closing is for.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      connection.close();
    }
  }
}
