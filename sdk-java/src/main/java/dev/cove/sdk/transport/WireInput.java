package dev.cove.sdk.transport;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Buffered bytes from the peer, with the bounded line that both protocols start with. */
final class WireInput extends InputStream {
  private final InputStream source;
  private final byte[] buffer = new byte[16 * 1024];
  private int position;
  private int end;

  WireInput(InputStream source) {
    this.source = source;
  }

  /** True when bytes are at hand that nobody has asked for. */
  boolean hasBuffered() {
    return position < end;
  }

  @Override
  public int read() throws IOException {
    if (position == end && !fill()) {
      return -1;
    }
    return buffer[position++] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (position == end) {
      // A large read need not pass through the buffer.
      if (length >= buffer.length) {
        return source.read(target, offset, length);
      }
      if (!fill()) {
        return -1;
      }
    }
    int count = Math.min(length, end - position);
    System.arraycopy(buffer, position, target, offset, count);
    position += count;
    return count;
  }

  @Override
  public int available() throws IOException {
    return end - position + source.available();
  }

  int require() throws IOException {
    int value = read();
    if (value < 0) {
      throw new EOFException("The server closed the connection in the middle of a message");
    }
    return value;
  }

  /** Reads up to CR LF (or a bare LF) and returns what came before it. */
  String readLine(int maxLength) throws IOException {
    byte[] line = new byte[128];
    int length = 0;
    for (int b = require(); b != '\n'; b = require()) {
      if (length == maxLength) {
        throw new ProtocolException("The server sent a line of more than " + maxLength + " bytes");
      }
      if (length == line.length) {
        line = Arrays.copyOf(line, Math.min(length * 2, maxLength));
      }
      line[length++] = (byte) b;
    }
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    return new String(line, 0, length, StandardCharsets.ISO_8859_1);
  }

  private boolean fill() throws IOException {
    position = 0;
    end = 0;
    int count = source.read(buffer);
    if (count <= 0) {
      return false;
    }
    end = count;
    return true;
  }
}
