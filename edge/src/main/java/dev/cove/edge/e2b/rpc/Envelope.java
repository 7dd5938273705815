package dev.cove.edge.e2b.rpc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** A message in a stream: a byte of flags, a length of four bytes, the message. */
final class Envelope {
  static final byte MESSAGE = 0;
  static final byte END = 2;
  private static final int HEAD = 5;

  private Envelope() {}

  /** The one message that a body consists of. */
  static byte[] read(InputStream body) throws IOException {
    byte[] head = body.readNBytes(HEAD);
    if (head.length < HEAD) {
      throw malformed("the body ends within an envelope's head");
    }
    if ((head[0] & 1) != 0) {
      throw malformed("a compressed message was sent, and none was agreed on");
    }
    if (head[0] != MESSAGE) {
      throw malformed("flags %d are not those of a message".formatted(head[0] & 0xff));
    }
    long length = Integer.toUnsignedLong(ByteBuffer.wrap(head, 1, 4).getInt());
    if (length > Rpc.LONGEST_MESSAGE) {
      throw tooLong(length);
    }
    byte[] message = body.readNBytes((int) length);
    if (message.length < length) {
      throw malformed("%d bytes were promised and %d came".formatted(length, message.length));
    }
    if (body.read() >= 0) {
      throw malformed("more than one message was sent");
    }
    return message;
  }

  static byte[] write(byte flags, byte[] message) {
    return ByteBuffer.allocate(HEAD + message.length)
        .put(flags)
        .putInt(message.length)
        .put(message)
        .array();
  }

  static RpcRefusal tooLong(long length) {
    return new RpcRefusal(
        RpcCode.RESOURCE_EXHAUSTED,
        "A message may have at most %d bytes, this one has %d or more"
            .formatted(Rpc.LONGEST_MESSAGE, length));
  }

  private static RpcRefusal malformed(String why) {
    return new RpcRefusal(RpcCode.INVALID_ARGUMENT, "protocol error: " + why);
  }
}
