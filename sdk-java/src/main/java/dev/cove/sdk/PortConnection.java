package dev.cove.sdk;

import dev.cove.sdk.transport.WebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A TCP connection to a port inside a sandbox. One thread reads, another may write. */
public final class PortConnection implements AutoCloseable {
  private static final int MESSAGE = 32 * 1024;
  private static final String END = "{\"type\":\"end\"}";

  private final WebSocket socket;
  private final InputStream input = new Input();
  private final OutputStream output = new Output();

  PortConnection(WebSocket socket) {
    this.socket = socket;
  }

  public InputStream input() {
    return input;
  }

  /** Closing it ends this direction only. */
  public OutputStream output() {
    return output;
  }

  @Override
  public void close() {
    socket.close();
  }

  private final class Input extends InputStream {
    private byte[] current = new byte[0];
    private int position;
    private boolean ended;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      while (position == current.length) {
        if (ended || !next()) {
          return -1;
        }
      }
      int count = Math.min(length, current.length - position);
      System.arraycopy(current, position, target, offset, count);
      position += count;
      return count;
    }

    private boolean next() throws IOException {
      switch (socket.receive()) {
        case WebSocket.Message.Binary(byte[] bytes) -> {
          current = bytes;
          position = 0;
        }
        case WebSocket.Message.Text(String text) -> {
          if (!text.equals(END)) {
            throw new IOException("The connection inside the sandbox failed: " + text);
          }
          ended = true;
        }
        case WebSocket.Message.Closed(int code, String reason) -> {
          ended = true;
          if (code != 1000 && code != 1005) {
            throw new IOException("The connection ended with code " + code + " " + reason);
          }
        }
      }
      return !ended;
    }
  }

  private final class Output extends OutputStream {
    private boolean ended;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int sent = 0; sent < length; sent += MESSAGE) {
        socket.sendBinary(bytes, offset + sent, Math.min(MESSAGE, length - sent));
      }
    }

    @Override
    public void close() throws IOException {
      if (!ended) {
        ended = true;
        socket.sendText(END);
      }
    }
  }
}
