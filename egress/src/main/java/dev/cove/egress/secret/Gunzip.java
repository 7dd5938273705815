package dev.cove.egress.secret;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Filter;
import dev.cove.egress.http.Sink;
import java.io.IOException;
import java.util.EnumSet;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Takes gzip apart as it comes, member after member. */
final class Gunzip implements Filter {
  private static final int OUT = 16 << 10;
  private static final int FIXED_HEAD = 10;
  private static final int TRAILER = 8;
  private static final int HEADER_CRC = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xE0;
  private static final int MAX_HEAD = 64 << 10;

  private enum Part {
    FIXED,
    EXTRA_LENGTH,
    EXTRA,
    NAME,
    COMMENT,
    HEADER_CRC,
    DEFLATED,
    TRAILER
  }

  private final Inflater inflater = new Inflater(true);
  private final byte[] out = new byte[OUT];
  private Part part = Part.FIXED;
  private boolean began;
  private int at;
  private int head;
  private int flags;
  private int extra;

  @Override
  public void take(byte[] bytes, int offset, int length, Sink to) throws IOException {
    int end = offset + length;
    int i = offset;
    while (i < end) {
      if (part == Part.DEFLATED) {
        i = inflate(bytes, i, end, to);
      } else {
        step(bytes[i++] & 0xFF);
      }
    }
  }

  private int inflate(byte[] bytes, int begin, int end, Sink to) throws IOException {
    inflater.setInput(bytes, begin, end - begin);
    try {
      while (!inflater.finished() && !inflater.needsInput()) {
        int made = inflater.inflate(out);
        if (made == 0 && inflater.needsDictionary()) {
          throw new BadMessageException("A body that is no gzip");
        }
        to.take(out, 0, made);
      }
      // A last call lets out what does not need more input.
      for (int made; !inflater.finished() && (made = inflater.inflate(out)) > 0; ) {
        to.take(out, 0, made);
      }
    } catch (DataFormatException e) {
      throw new BadMessageException("A body that is no gzip");
    }
    int left = inflater.getRemaining();
    if (inflater.finished()) {
      inflater.reset();
      enter(Part.TRAILER);
      return end - left;
    }
    return end;
  }

  private void enter(Part next) {
    part = next;
    at = 0;
  }

  private void step(int value) throws BadMessageException {
    began = true;
    if (part != Part.TRAILER && ++head > MAX_HEAD) {
      throw new BadMessageException("A gzip head that is too long");
    }
    switch (part) {
      case FIXED -> fixed(value);
      case EXTRA_LENGTH -> {
        extra |= value << (8 * at);
        if (++at == 2) {
          advance();
        }
      }
      case EXTRA -> {
        if (++at == extra) {
          advance();
        }
      }
      case NAME -> {
        if (value == 0) {
          advance();
        }
      }
      case COMMENT -> {
        if (value == 0) {
          advance();
        }
      }
      case HEADER_CRC -> {
        if (++at == 2) {
          advance();
        }
      }
      case TRAILER -> {
        if (++at == TRAILER) {
          enter(Part.FIXED);
          head = 0;
          extra = 0;
          began = false;
        }
      }
      case DEFLATED -> throw new IllegalStateException("Not read byte by byte");
    }
  }

  private void fixed(int value) throws BadMessageException {
    boolean right =
        switch (at) {
          case 0 -> value == 0x1F;
          case 1 -> value == 0x8B;
          case 2 -> value == 8;
          case 3 -> (value & RESERVED) == 0;
          default -> true;
        };
    if (!right) {
      throw new BadMessageException("A body that is no gzip");
    }
    if (at == 3) {
      flags = value;
    }
    if (++at == FIXED_HEAD) {
      advance();
    }
  }

  /** To the next part of the head that is there, or to what is behind it. */
  private void advance() {
    for (Part next : EnumSet.range(part, Part.TRAILER)) {
      if (next != part && isThere(next)) {
        enter(next);
        return;
      }
    }
  }

  private boolean isThere(Part which) {
    return switch (which) {
      case EXTRA_LENGTH -> (flags & EXTRA) != 0;
      case EXTRA -> extra > 0;
      case NAME -> (flags & NAME) != 0;
      case COMMENT -> (flags & COMMENT) != 0;
      case HEADER_CRC -> (flags & HEADER_CRC) != 0;
      case FIXED, DEFLATED, TRAILER -> true;
    };
  }

  @Override
  public void end(Sink to) throws IOException {
    boolean whole = part == Part.FIXED && !began;
    inflater.end();
    if (!whole) {
      throw new BadMessageException("A gzip body that ends too early");
    }
  }
}
