package dev.cove.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InterruptedIOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KeyboardTest {
  @Test
  void whoever_stops_reading_takes_no_key_along() throws Exception {
    var typed = new PipedOutputStream();
    Keyboard keyboard = Keyboard.of(new PipedInputStream(typed));
    typed.write('a');
    typed.flush();
    assertThat(keyboard.read()).isEqualTo('a');
    var ended = new CompletableFuture<Class<?>>();
    Thread first =
        Thread.ofPlatform()
            .start(() -> {
              try {
                ended.complete(Integer.valueOf(keyboard.read()).getClass());
              } catch (Exception e) {
                ended.complete(e.getClass());
              }
            });

    first.interrupt();

    assertThat(ended.get()).isEqualTo(InterruptedIOException.class);
    typed.write("bc".getBytes(UTF_8));
    typed.close();
    assertThat(keyboard.readNBytes(2)).isEqualTo("bc".getBytes(UTF_8));
    assertThat(keyboard.read()).isEqualTo(-1);
    assertThat(keyboard.read()).isEqualTo(-1);
  }
}
