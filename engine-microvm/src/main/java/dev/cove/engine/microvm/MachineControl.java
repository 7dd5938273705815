package dev.cove.engine.microvm;

import dev.cove.engine.EngineException;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Asks a machine's first program for something: lines, each answered by one. {@code control.c} is
 * the other end. A socket of QEMU's serves one at a time, so a conversation is short.
 */
final class MachineControl implements AutoCloseable {
  /** The machine answers at once, but for a flush of all that was written. */
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int MAX_LINE = 1_024;

  private final SocketChannel socket;
  private final Patience patience;
  private final ByteBuffer come = ByteBuffer.allocate(4 * MAX_LINE).flip();

  private MachineControl(SocketChannel socket, Duration patience) {
    this.socket = socket;
    this.patience = new Patience(socket, patience);
  }

  /** Returns when the machine has answered. */
  static MachineControl open(Path path) throws IOException {
    return open(path, PATIENCE);
  }

  static MachineControl open(Path path, Duration patience) throws IOException {
    var socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      socket.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    var control = new MachineControl(socket, patience);
    try {
      control.greet();
      return control;
    } catch (IOException e) {
      control.close();
      throw e;
    }
  }

  /**
   * An empty line ends what another conversation has left; what was answered to that is skipped.
   */
  private void greet() throws IOException {
    byte[] number = new byte[8];
    RANDOM.nextBytes(number);
    String name = HexFormat.of().formatHex(number);
    send("\nping " + name + "\n");
    String line;
    do {
      line = readLine();
    } while (!line.equals("pong " + name));
  }

  /**
   * @throws EngineException when the machine refuses one of them, with its words
   */
  void tell(List<String> lines) throws IOException {
    send(String.join("\n", lines) + "\n");
    var refused = new ArrayList<String>();
    for (String line : lines) {
      String answer = readLine();
      if (!answer.equals("ok")) {
        refused.add(line.split(" ", 2)[0] + ": " + answer.replaceFirst("^error ", ""));
      }
    }
    if (!refused.isEmpty()) {
      throw new EngineException("The machine refused: " + String.join("; ", refused));
    }
  }

  private void send(String text) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
  }

  private String readLine() throws IOException {
    var line = new StringBuilder();
    while (true) {
      while (come.hasRemaining()) {
        char next = (char) (come.get() & 0x7f);
        if (next == '\n') {
          return line.toString();
        }
        if (line.length() < MAX_LINE) {
          line.append(next >= ' ' ? next : '?');
        }
      }
      come.clear();
      if (socket.read(come) < 0) {
        throw new EOFException("The machine ended");
      }
      come.flip();
    }
  }

  @Override
  public void close() throws IOException {
    patience.close();
    socket.close();
  }
}
