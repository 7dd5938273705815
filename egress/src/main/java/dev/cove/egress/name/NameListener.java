package dev.cove.egress.name;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes DNS questions from the wire, and puts the answers back on it. */
public final class NameListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NameListener.class);
  private static final int MAX_DATAGRAM = 4_096;
  private static final int AT_ONCE = 256;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(50);
  private static final Duration STREAM_PATIENCE = Duration.ofSeconds(10);

  private final DatagramChannel channel;
  private final NameServer server;

  /** Over this many at once questions are dropped; their senders ask again. */
  private final Semaphore places = new Semaphore(AT_ONCE);

  public NameListener(DatagramChannel channel, NameServer server) {
    this.channel = channel;
    this.server = server;
  }

  public void start() {
    Thread.ofVirtual().name("names").start(this::listen);
  }

  private void listen() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_DATAGRAM + 1);
    while (channel.isOpen()) {
      try {
        buffer.clear();
        SocketAddress from = channel.receive(buffer);
        byte[] query = new byte[buffer.flip().remaining()];
        buffer.get(query);
        if (places.tryAcquire()) {
          begin(query, from);
        }
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | Error e) {
        if (!pause()) {
          return;
        }
      }
    }
  }

  private void begin(byte[] query, SocketAddress from) {
    boolean begun = false;
    try {
      Thread.ofVirtual().start(() -> reply(query, from));
      begun = true;
    } finally {
      if (!begun) {
        places.release();
      }
    }
  }

  /** An error of the socket is of one packet; but a lasting one must not become a hot loop. */
  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void reply(byte[] query, SocketAddress to) {
    try {
      Optional<byte[]> answer = server.answer(query);
      if (answer.isPresent()) {
        channel.send(ByteBuffer.wrap(answer.get()), to);
      }
    } catch (IOException e) {
      LOG.debug("An answer to a DNS question was not sent", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      places.release();
    }
  }

  /** Questions over a connection, one after another. */
  public void converse(SocketChannel client) throws IOException, InterruptedException {
    Socket socket = client.socket();
    socket.setSoTimeout((int) STREAM_PATIENCE.toMillis());
    var in = new DataInputStream(socket.getInputStream());
    while (true) {
      int length = in.readUnsignedShort();
      if (length > MAX_DATAGRAM) {
        return;
      }
      Optional<byte[]> answer = server.answer(in.readNBytes(length));
      if (answer.isEmpty()) {
        return;
      }
      ByteBuffer framed = ByteBuffer.allocate(2 + answer.get().length);
      framed.putShort((short) answer.get().length).put(answer.get()).flip();
      while (framed.hasRemaining()) {
        client.write(framed);
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
