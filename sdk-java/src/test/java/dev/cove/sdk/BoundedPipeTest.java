package dev.cove.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BoundedPipeTest {
  private static Thread writing(BoundedPipe pipe, int length, CountDownLatch done) {
    return Thread.ofVirtual()
        .start(() -> {
          byte[] bytes = new byte[length];
          for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
          }
          try {
            pipe.write(bytes, 0, length);
            done.countDown();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Test
  void bytes_come_out_as_they_went_in_however_small_the_pipe() throws Exception {
    var pipe = new BoundedPipe(7);
    var done = new CountDownLatch(1);
    writing(pipe, 10_000, done);
    byte[] read = pipe.readNBytes(10_000);
    done.await();
    pipe.end();
    assertThat(pipe.read()).isEqualTo(-1);
    for (int i = 0; i < read.length; i++) {
      assertThat(read[i]).isEqualTo((byte) i);
    }
  }

  @Test
  void a_full_pipe_holds_the_writer_until_someone_reads() throws Exception {
    var pipe = new BoundedPipe(16);
    var done = new CountDownLatch(1);
    writing(pipe, 17, done);
    assertThat(done.await(100, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(pipe.available()).isEqualTo(16);
    assertThat(pipe.read()).isZero();
    done.await();
  }

  @Test
  void a_reader_that_has_closed_holds_nobody() throws Exception {
    var pipe = new BoundedPipe(16);
    var done = new CountDownLatch(1);
    Thread writer = writing(pipe, 1_000_000, done);
    pipe.close();
    writer.join();
    assertThatThrownBy(pipe::read).isInstanceOf(IOException.class);
  }

  @Test
  void a_failure_comes_after_what_arrived_before_it() throws Exception {
    var pipe = new BoundedPipe(16);
    pipe.write(new byte[] {42}, 0, 1);
    pipe.fail(new IOException("broken off"));
    assertThat(pipe.read()).isEqualTo(42);
    assertThatThrownBy(pipe::read).hasMessageContaining("broken off");
  }
}
