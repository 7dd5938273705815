package dev.cove.egress.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.egress.Hello;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClientHelloReaderTest {
  @Test
  void the_name_is_read_however_the_message_is_cut() throws Exception {
    byte[] padding = new byte[20_000];
    for (int record : new int[] {1, 2, 5, 100, 16_384}) {
      Hello hello = new Hello().extension(0x0A0A, new byte[0]).extension(21, padding);
      byte[] bytes = hello.name("a.test").records(record == 1 ? 7 : record).bytes();
      for (int piece : new int[] {1, 3, bytes.length}) {
        if (bytes.length <= ClientHelloReader.MAX) {
          assertThat(read(bytes, piece).orElseThrow().serverName()).contains("a.test");
        }
      }
    }
  }

  @Test
  void one_byte_in_each_record_is_read_too() throws Exception {
    byte[] bytes = new Hello().name("a.test").records(1).bytes();
    assertThat(read(bytes, 1).orElseThrow().serverName()).contains("a.test");
  }

  @Test
  void what_the_jdk_sends_is_read() throws Exception {
    assertThat(read(Hello.real("www.example.test"), 11).orElseThrow().serverName())
        .contains("www.example.test");
  }

  @Test
  void a_client_may_name_no_host() throws Exception {
    assertThat(read(new Hello().bytes(), 9).orElseThrow().serverName()).isEmpty();
  }

  @Test
  void whatever_could_be_read_in_two_ways_is_refused() {
    byte[] otherKind = {0, 6, 1, 0, 3, 'a', '.', 'b'};
    byte[] tooLong = {0, 9, 0, 0, 3, 'a', '.', 'b'};
    refused(new Hello().name("a.test", "b.test").bytes());
    refused(new Hello().name("a.test").name("a.test").bytes());
    refused(new Hello().name("").bytes());
    refused(new Hello().extension(0, otherKind).bytes());
    refused(new Hello().extension(0, tooLong).bytes());
    refused(new Hello().extension(0, new byte[0]).bytes());
    refused(new Hello().name("a.test").version(0x0203).bytes());
    refused(new byte[] {22, 2, 0, 0, 1, 1});
    refused(new byte[] {22, 3, 1, 0, 0});
    refused(new byte[] {22, 3, 1, 0x7F, 0});
    refused(new byte[] {22, 3, 1, 0, 4, 2, 0, 0, 0});
    refused(new byte[] {21, 3, 1, 0, 2, 1, 0});
    byte[] more = new Hello().name("a.test").bytes();
    byte[] longer = Arrays.copyOf(more, more.length + 1);
    longer[4]++;
    refused(longer);
  }

  @Test
  void a_message_has_a_greatest_length() {
    refused(new Hello().extension(21, new byte[60_000]).name("a.test").records(3).bytes());
    refused(new byte[] {22, 3, 1, 0, 4, 1, 1, 0, 1});
  }

  @Test
  void any_bytes_are_a_message_or_none_and_nothing_worse() throws Exception {
    var random = new Random(3);
    byte[] valid = Hello.real("www.example.test");
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = valid.clone();
      for (int n = random.nextInt(5); n >= 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        read(bytes, 1 + random.nextInt(600));
      } catch (BadHelloException e) {
        assertThat(e).hasMessageStartingWith("Bad ClientHello");
      }
    }
  }

  private static void refused(byte[] bytes) {
    assertThatThrownBy(() -> read(bytes, bytes.length)).isInstanceOf(BadHelloException.class);
  }

  private static Optional<ClientHello> read(byte[] bytes, int piece) throws BadHelloException {
    var reader = new ClientHelloReader();
    for (int at = 0; at < bytes.length; at += piece) {
      Optional<ClientHello> hello = reader.take(bytes, at, Math.min(bytes.length, at + piece));
      if (hello.isPresent()) {
        assertThat(at + piece).isGreaterThanOrEqualTo(bytes.length);
        return hello;
      }
    }
    return Optional.empty();
  }
}
