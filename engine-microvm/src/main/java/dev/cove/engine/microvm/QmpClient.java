package dev.cove.engine.microvm;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The few words of QEMU's monitor that are needed to write a machine down before it is anybody's.
 */
final class QmpClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(2);

  private final SocketChannel socket;
  private final BufferedReader answers;

  private QmpClient(SocketChannel socket) {
    this.socket = socket;
    this.answers = new BufferedReader(Channels.newReader(socket, StandardCharsets.UTF_8));
  }

  static QmpClient connect(Path path) throws IOException {
    var socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      socket.connect(UnixDomainSocketAddress.of(path));
      var client = new QmpClient(socket);
      client.readLine(); // its greeting
      client.execute("\"qmp_capabilities\"");
      return client;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * @param what a command as JSON, and after a comma its arguments
   * @return the answer as it came
   */
  String execute(String what) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode("{\"execute\": " + what + "}\n");
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
    while (true) {
      String answer = readLine();
      if (answer.startsWith("{\"error\"")) {
        throw new IOException("QEMU refused %s: %s".formatted(what, answer));
      }
      if (answer.startsWith("{\"return\"")) {
        return answer;
      }
    }
  }

  /** Memory that is shared with a file, or comes from one, is not written down again. */
  void leaveSharedMemory() throws IOException {
    execute(
        "\"migrate-set-capabilities\", \"arguments\": {\"capabilities\": [{\"capability\": \"x-ignore-shared\", \"state\": true}]}");
  }

  /** Returns when all but the memory is in the file. The machine stands still then. */
  void writeTo(Path state) throws IOException {
    execute("\"migrate\", \"arguments\": {\"uri\": \"exec:cat > '%s'\"}".formatted(state));
    awaitMoved();
  }

  /**
   * Returns when the machine runs. Whoever connects to one of its ports before is not noticed by
   * it.
   */
  void goOnFrom(int descriptor) throws IOException {
    execute("\"migrate-incoming\", \"arguments\": {\"uri\": \"fd:%d\"}".formatted(descriptor));
    awaitMoved();
  }

  private void awaitMoved() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      String answer = execute("\"query-migrate\"");
      if (answer.contains("\"status\": \"completed\"")) {
        return;
      }
      if (answer.contains("\"status\": \"failed\"") || System.nanoTime() > deadline) {
        throw new IOException("QEMU could not move the machine: " + answer);
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
  }

  private String readLine() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new EOFException("QEMU ended");
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
