package dev.cove.egress.http;

import dev.cove.egress.relay.Inflow;
import dev.cove.egress.relay.Pump;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Carries a body to its end and not a byte further. */
final class Body {
  private static final Pattern SIZE = Pattern.compile("[0-9a-fA-F]{1,15}");
  private static final int MAX_LINE = 8 << 10;
  private static final int MAX_TRAILERS = 64;

  private final Inflow in;
  private final SocketChannel to;
  private final Pump.Meter meter;

  Body(Inflow in, SocketChannel to, Pump.Meter meter) {
    this.in = in;
    this.to = to;
    this.meter = meter;
  }

  void carry(Framing framing) throws IOException {
    switch (framing) {
      case Framing.Length(long bytes) -> in.copy(bytes, to, meter);
      case Framing.Chunked _ -> carryChunks();
      case Framing.UntilEnd _ -> in.copyAll(to, meter);
    }
  }

  private void carryChunks() throws IOException {
    while (true) {
      String size = line();
      if (!SIZE.matcher(size).matches()) {
        throw new BadMessageException("A chunk without a plain size");
      }
      long bytes = Long.parseLong(size, 16);
      send(size);
      if (bytes == 0) {
        carryTrailers();
        return;
      }
      in.copy(bytes, to, meter);
      if (!line().isEmpty()) {
        throw new BadMessageException("A chunk that is longer than it says");
      }
      send("");
    }
  }

  /** Nothing in them may say anew where the body ends. */
  private void carryTrailers() throws IOException {
    for (int i = 0; i < MAX_TRAILERS; i++) {
      String line = line();
      if (line.isEmpty()) {
        send("");
        return;
      }
      Fields field = Fields.parse(List.of(line));
      if (field.framing().isPresent() || !field.values("Host").isEmpty()) {
        throw new BadMessageException("A trailer that has no place there");
      }
      send(line);
    }
    throw new BadMessageException("Too many trailers");
  }

  private String line() throws IOException {
    for (int at = 0; at < MAX_LINE; at++) {
      while (at >= in.available()) {
        if (!in.fill(Inflow.FOREVER)) {
          throw new BadMessageException("The connection ended within a chunk");
        }
      }
      if (in.peek(at) == '\n') {
        String line = new String(in.take(at + 1), StandardCharsets.ISO_8859_1);
        if (!line.endsWith("\r\n")) {
          throw new BadMessageException("A line that does not end in CR and LF");
        }
        return line.substring(0, line.length() - 2);
      }
    }
    throw new BadMessageException("A line that is too long");
  }

  private void send(String line) throws IOException {
    byte[] bytes = (line + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    meter.count(bytes.length);
    Pump.write(to, ByteBuffer.wrap(bytes));
  }
}
