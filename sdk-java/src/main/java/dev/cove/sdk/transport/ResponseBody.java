package dev.cove.sdk.transport;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** The body of an answer, by whichever of the three framings it came. */
final class ResponseBody extends InputStream {
  private static final int MAX_CHUNK_LINE = 1024;
  private static final int MAX_TRAILERS = 100;

  private enum Framing {
    LENGTH,
    CHUNKS,
    UNTIL_CLOSE
  }

  private final WireInput input;
  private final Framing framing;
  private long remaining;
  private boolean inChunks;
  private boolean finished;

  private ResponseBody(WireInput input, Framing framing, long remaining) {
    this.input = input;
    this.framing = framing;
    this.remaining = remaining;
    this.finished = framing == Framing.LENGTH && remaining == 0;
  }

  static ResponseBody of(String method, ResponseHead head, WireInput input) throws IOException {
    boolean bodiless =
        method.equals("HEAD")
            || head.status() == 204
            || head.status() == 304
            || head.status() == 101;
    if (bodiless) {
      return new ResponseBody(input, Framing.LENGTH, 0);
    }
    if (head.chunked()) {
      return new ResponseBody(input, Framing.CHUNKS, 0);
    }
    long length = head.contentLength();
    return length >= 0
        ? new ResponseBody(input, Framing.LENGTH, length)
        : new ResponseBody(input, Framing.UNTIL_CLOSE, Long.MAX_VALUE);
  }

  /** Whether all of it was read, so that the connection stands at the next answer. */
  boolean finished() {
    return finished && framing != Framing.UNTIL_CLOSE;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (finished) {
      return -1;
    }
    if (length == 0) {
      return 0;
    }
    if (framing == Framing.CHUNKS && remaining == 0 && !nextChunk()) {
      return -1;
    }
    int count = input.read(target, offset, (int) Math.min(length, remaining));
    if (count < 0) {
      return atEnd();
    }
    remaining -= count;
    finished = framing == Framing.LENGTH && remaining == 0;
    return count;
  }

  private int atEnd() throws IOException {
    if (framing != Framing.UNTIL_CLOSE) {
      throw new EOFException("The server closed the connection in the middle of its answer");
    }
    finished = true;
    return -1;
  }

  private boolean nextChunk() throws IOException {
    if (inChunks && !input.readLine(2).isEmpty()) {
      throw new ProtocolException("The server sent a chunk longer than it had said");
    }
    inChunks = true;
    remaining = parseSize(input.readLine(MAX_CHUNK_LINE));
    if (remaining > 0) {
      return true;
    }
    for (int i = 0; !input.readLine(MAX_CHUNK_LINE).isEmpty(); i++) {
      if (i == MAX_TRAILERS) {
        throw new ProtocolException("The server sent trailers without end");
      }
    }
    finished = true;
    return false;
  }

  private static long parseSize(String line) throws IOException {
    int semicolon = line.indexOf(';');
    String size = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
    if (!size.matches("[0-9a-fA-F]{1,15}")) {
      throw new ProtocolException("The server sent a chunk without a size");
    }
    return Long.parseLong(size, 16);
  }
}
