package dev.cove.egress.secret;

import dev.cove.egress.http.Filter;
import dev.cove.egress.http.Sink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * One spelling of a secret, and what stands in its place in all that comes back. It is found by the
 * algorithm of Knuth, Morris and Pratt, so that no byte is looked at twice and nothing has to be
 * kept but how much of it was seen: what is held back between two reads is a beginning of the
 * secret itself.
 */
final class Mask {
  private final byte[] wanted;
  private final byte[] replacement;
  private final int[] borders;

  Mask(String wanted, String replacement) {
    this.wanted = wanted.getBytes(StandardCharsets.ISO_8859_1);
    this.replacement = replacement.getBytes(StandardCharsets.ISO_8859_1);
    this.borders = borders(this.wanted);
  }

  /** For each beginning the length of the longest shorter one that it ends with. */
  private static int[] borders(byte[] text) {
    int[] borders = new int[text.length + 1];
    int border = 0;
    for (int i = 1; i < text.length; i++) {
      while (border > 0 && text[i] != text[border]) {
        border = borders[border];
      }
      if (text[i] == text[border]) {
        border++;
      }
      borders[i + 1] = border;
    }
    return borders;
  }

  int length() {
    return wanted.length;
  }

  String apply(String text) {
    return text.replace(
        new String(wanted, StandardCharsets.ISO_8859_1),
        new String(replacement, StandardCharsets.ISO_8859_1));
  }

  /** For one stream of bytes. */
  Filter filter() {
    return new Search();
  }

  private final class Search implements Filter {
    private int before;

    @Override
    public void take(byte[] bytes, int offset, int length, Sink to) throws IOException {
      int seen = before;
      int end = offset + length;
      int sent = offset;
      // Bytes before here were seen in an earlier call, and are held back as a beginning.
      int held = seen;
      for (int i = offset; i < end; i++) {
        byte now = bytes[i];
        while (seen > 0 && now != wanted[seen]) {
          int border = borders[seen];
          int freed = Math.min(held, seen - border);
          to.take(wanted, 0, freed);
          held -= freed;
          seen = border;
        }
        if (now == wanted[seen]) {
          seen++;
        }
        if (seen == wanted.length) {
          int begin = i + 1 - (wanted.length - held);
          to.take(bytes, sent, begin - sent);
          to.take(replacement, 0, replacement.length);
          sent = i + 1;
          held = 0;
          seen = 0;
        }
      }
      int free = end - (seen - held);
      to.take(bytes, sent, free - sent);
      before = seen;
    }

    @Override
    public void end(Sink to) throws IOException {
      to.take(wanted, 0, before);
      before = 0;
    }
  }
}
