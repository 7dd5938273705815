package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * A clock on the wall that a test can set for one process: a library that comes before the C
 * library's and adds what a file says. What counts since the host came up is left alone.
 */
final class FalseClock {
  private static final String SOURCE =
      """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <time.h>
      #include <unistd.h>
      static volatile const long *offset;
      __attribute__((constructor)) static void find(void) {
        const char *file = getenv("FALSE_CLOCK");
        int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
        if (fd < 0) return;
        void *there = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, fd, 0);
        if (there != MAP_FAILED) offset = there;
        close(fd);
      }
      int clock_gettime(clockid_t clock, struct timespec *now) {
        int result = (int)syscall(SYS_clock_gettime, clock, now);
        if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
          now->tv_sec += *offset;
        return result;
      }
      int gettimeofday(struct timeval *now, void *zone) {
        (void)zone;
        struct timespec time;
        int result = clock_gettime(CLOCK_REALTIME, &time);
        now->tv_sec = time.tv_sec;
        now->tv_usec = time.tv_nsec / 1000;
        return result;
      }
      time_t time(time_t *out) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (out) *out = now.tv_sec;
        return now.tv_sec;
      }
      """;

  private final Path library;
  private final Path offset;

  private FalseClock(Path library, Path offset) {
    this.library = library;
    this.offset = offset;
  }

  static FalseClock in(Path folder) throws IOException, InterruptedException {
    Path source = Files.writeString(folder.resolve("clock.c"), SOURCE);
    Path library = folder.resolve("clock.so");
    Process compiler =
        new ProcessBuilder(
                "gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString())
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    var clock = new FalseClock(library, folder.resolve("offset"));
    clock.set(Duration.ZERO);
    return clock;
  }

  /** For the process that shall be deceived. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "FALSE_CLOCK", offset.toString());
  }

  /** From now on it shows so much more, or less, than the truth. */
  void set(Duration wrong) throws IOException {
    var bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.putLong(wrong.toSeconds()).flip();
    try (var file = FileChannel.open(offset, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(file.write(bytes, 0)).isEqualTo(Long.BYTES);
    }
  }
}
