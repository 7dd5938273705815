package dev.cove.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Filter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class MaskTest {
  private static String filtered(Filter filter, byte[] bytes, Random sizes) throws IOException {
    var out = new ByteArrayOutputStream();
    for (int at = 0; at < bytes.length; ) {
      int length = Math.min(bytes.length - at, sizes.nextInt(1, 8));
      filter.take(bytes, at, length, out::write);
      at += length;
    }
    filter.end(out::write);
    return out.toString(StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Few letters, so that beginnings of it are everywhere, and within each other. */
  @Test
  void it_is_found_wherever_reads_split_it() throws Exception {
    for (int seed = 0; seed < 2_000; seed++) {
      var random = new Random(seed);
      String wanted = letters(random, random.nextInt(1, 12));
      String text = letters(random, random.nextInt(200));
      assertThat(filtered(new Mask(wanted, "<>").filter(), bytes(text), random))
          .as("seed %d: %s in %s", seed, wanted, text)
          .isEqualTo(text.replace(wanted, "<>"));
    }
  }

  private static String letters(Random random, int length) {
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(2)));
    }
    return text.toString();
  }

  @Test
  void nothing_waits_that_can_not_be_its_beginning() throws Exception {
    var out = new ByteArrayOutputStream();
    Filter filter = new Mask("secret-value", "<>").filter();
    byte[] event = bytes("data: sec\n\n");
    filter.take(event, 0, event.length, out::write);
    assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo("data: sec\n\n");
    filter.take(bytes("x sec"), 0, 5, out::write);
    assertThat(out.toString(StandardCharsets.ISO_8859_1)).endsWith("\n\nx ");
  }

  @Test
  void gzip_is_taken_apart_with_all_that_may_be_in_its_head_and_member_by_member()
      throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes("first "));
    }
    packed.writeBytes(new byte[] {0x1F, (byte) 0x8B, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 3});
    packed.writeBytes(new byte[] {3, 0, 'x', 'y', 'z'});
    packed.writeBytes(bytes("name\0comment\0"));
    packed.writeBytes(new byte[] {1, 2});
    packed.writeBytes(deflated("second"));
    for (int seed = 0; seed < 50; seed++) {
      assertThat(filtered(new Gunzip(), packed.toByteArray(), new Random(seed)))
          .isEqualTo("first second");
    }
  }

  private static byte[] deflated(String text) {
    var deflater = new Deflater(9, true);
    deflater.setInput(bytes(text));
    deflater.finish();
    byte[] out = new byte[100];
    int length = deflater.deflate(out);
    deflater.end();
    var crc = new CRC32();
    crc.update(bytes(text));
    var member = new ByteArrayOutputStream();
    member.write(out, 0, length);
    for (long number : new long[] {crc.getValue(), text.length()}) {
      for (int i = 0; i < 4; i++) {
        member.write((int) (number >> (8 * i)));
      }
    }
    return member.toByteArray();
  }

  @Test
  void what_is_no_gzip_or_ends_too_early_is_refused() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(new byte[1_000]);
    }
    byte[] whole = packed.toByteArray();
    for (int length = 1; length < whole.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> filtered(new Gunzip(), cut, new Random(1)))
          .isInstanceOf(BadMessageException.class);
    }
    assertThatThrownBy(() -> filtered(new Gunzip(), bytes("plain text"), new Random(1)))
        .isInstanceOf(BadMessageException.class);
  }
}
