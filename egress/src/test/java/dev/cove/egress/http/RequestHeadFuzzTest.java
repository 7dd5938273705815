package dev.cove.egress.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.network.Destination;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestHeadFuzzTest {
  private static final String VALID =
      "POST http://a.test:8080/x?y HTTP/1.1\r\nHost: a.test:8080\r\nContent-Length: 5\r\nConnection: upgrade, x\r\nUpgrade: h\r\n\r\n";
  private static final String PARTS = "\r\n\t :,;/?#@[]%\u0000\u00e4aH0+-*";

  @Test
  void any_text_is_a_request_or_none_and_what_is_one_for_a_host_names_no_other() throws Exception {
    var random = new Random(5);
    Destination destination = Destination.parse("a.test:8080");
    int good = 0;
    for (int i = 0; i < 100_000; i++) {
      String text = damaged(random);
      try {
        RequestHead head = RequestHead.parse(text);
        head.request();
        if (head.isFor(destination)) {
          good++;
          assertThat(head.fields().values("host")).hasSize(1);
          String direct = new String(head.direct(destination), StandardCharsets.ISO_8859_1);
          assertThat(RequestHead.parse(direct).isFor(destination)).as(text).isTrue();
        }
      } catch (BadMessageException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
    assertThat(good).isPositive();
  }

  private static String damaged(Random random) {
    var text = new StringBuilder(VALID.substring(0, VALID.length() - 4));
    for (int n = random.nextInt(4); n > 0; n--) {
      char part = PARTS.charAt(random.nextInt(PARTS.length()));
      int at = random.nextInt(text.length());
      if (random.nextBoolean()) {
        text.insert(at, part);
      } else {
        text.setCharAt(at, part);
      }
    }
    return text.append("\r\n\r\n").toString();
  }
}
