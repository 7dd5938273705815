package dev.cove.egress.http;

import dev.cove.egress.relay.Inflow;
import dev.cove.egress.relay.Pump;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Carries a body to its end and not a byte further. */
final class Body {
  private static final Pattern SIZE = Pattern.compile("[0-9a-fA-F]{1,15}");
  private static final int MAX_LINE = 8 << 10;
  private static final int MAX_TRAILERS = 64;

  private final Inflow in;
  private final OutputStream to;
  private final Pump.Meter meter;

  Body(Inflow in, OutputStream to, Pump.Meter meter) {
    this.in = in;
    this.to = to;
    this.meter = meter;
  }

  /** As it comes. */
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
      long bytes = size(size);
      send(size);
      if (bytes == 0) {
        for (String trailer : trailers()) {
          send(trailer);
        }
        send("");
        return;
      }
      in.copy(bytes, to, meter);
      requireEndOfChunk();
      send("");
    }
  }

  /**
   * Gives the bytes of a body to somebody who changes them.
   *
   * @return the trailers behind it
   */
  List<String> read(Framing framing, Sink sink) throws IOException {
    var pieces = new Pieces(sink);
    switch (framing) {
      case Framing.Length(long bytes) -> in.copy(bytes, pieces, meter);
      case Framing.UntilEnd _ -> in.copyAll(pieces, meter);
      case Framing.Chunked _ -> {
        for (long bytes = size(line()); bytes > 0; bytes = size(line())) {
          in.copy(bytes, pieces, meter);
          requireEndOfChunk();
        }
        return trailers();
      }
    }
    return List.of();
  }

  /** Before more is waited for, what was made of the bytes so far goes out. */
  private final class Pieces extends OutputStream {
    private final Sink sink;

    Pieces(Sink sink) {
      this.sink = sink;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      sink.take(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      to.flush();
    }
  }

  private static long size(String line) throws BadMessageException {
    if (!SIZE.matcher(line).matches()) {
      throw new BadMessageException("A chunk without a plain size");
    }
    return Long.parseLong(line, 16);
  }

  private void requireEndOfChunk() throws IOException {
    if (!line().isEmpty()) {
      throw new BadMessageException("A chunk that is longer than it says");
    }
  }

  /** Nothing in them may say anew where the body ends. */
  private List<String> trailers() throws IOException {
    List<String> trailers = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      Fields field = Fields.parse(List.of(line));
      if (field.framing().isPresent() || !field.values("Host").isEmpty()) {
        throw new BadMessageException("A trailer that has no place there");
      }
      trailers.add(line);
      if (trailers.size() > MAX_TRAILERS) {
        throw new BadMessageException("Too many trailers");
      }
    }
    return trailers;
  }

  private String line() throws IOException {
    for (int at = 0; at < MAX_LINE; at++) {
      while (at >= in.available()) {
        to.flush();
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
    to.write(bytes);
  }
}
