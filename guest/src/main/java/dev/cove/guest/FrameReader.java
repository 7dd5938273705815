package dev.cove.guest;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;

/** Cuts frames from the socket. Memory for a payload is taken only after its length was checked. */
final class FrameReader {
  private final ReadableByteChannel socket;

  /** Small: it lives as long as the link. Long payloads are read straight into their own array. */
  private final ByteBuffer buffer =
      ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN).limit(0);

  FrameReader(ReadableByteChannel socket) {
    this.socket = socket;
  }

  /** A frame; whoever gets it owns the array. */
  static final class Incoming {
    private final byte type;
    private final int channel;
    private final byte[] payload;

    private Incoming(byte type, int channel, byte[] payload) {
      this.type = type;
      this.channel = channel;
      this.payload = payload;
    }

    byte type() {
      return type;
    }

    int channel() {
      return channel;
    }

    byte[] payload() {
      return payload;
    }
  }

  Incoming next() throws IOException {
    while (buffer.remaining() < Frame.HEAD) {
      buffer.compact();
      int count = socket.read(buffer);
      buffer.flip();
      if (count < 0) {
        throw new EOFException("the agent closed the link");
      }
    }
    int length = buffer.getInt();
    byte type = buffer.get();
    int channel = buffer.getInt();
    if (length < 0 || length > Frame.PAYLOAD_MAX) {
      throw new BrokenFrameException("a frame says it has " + (length & 0xffffffffL) + " bytes");
    }
    byte[] payload = new byte[length];
    int here = Math.min(length, buffer.remaining());
    buffer.get(payload, 0, here);
    ByteBuffer rest = ByteBuffer.wrap(payload, here, length - here);
    while (rest.hasRemaining()) {
      if (socket.read(rest) < 0) {
        throw new EOFException("the agent closed the link in the middle of a frame");
      }
    }
    return new Incoming(type, channel, payload);
  }
}
