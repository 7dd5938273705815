package dev.cove.model.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteTextTest {
  @Test
  void any_bytes_are_shown_and_read_back() {
    var random = new Random(3);
    for (int round = 0; round < 2000; round++) {
      byte[] bytes = new byte[random.nextInt(24)];
      random.nextBytes(bytes);
      String name = ByteText.decode(bytes);

      assertThat(ByteText.encode(ByteText.parse(ByteText.shown(name)))).isEqualTo(bytes);
    }
  }

  @Test
  void characters_that_are_not_seen_are_read_back() {
    for (String name :
        new String[] {"a\nb", "\\n", "tab\there", "\u001b[31m", "\u202egpj", "a b"}) {
      assertThat(ByteText.parse(ByteText.shown(name))).isEqualTo(name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\", "\\q", "\\xZZ", "\\u{}", "\\u{ffffff}"})
  void what_is_never_shown_is_refused(String text) {
    assertThatThrownBy(() -> ByteText.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
