package dev.cove.sdk.transport;

import java.io.FileInputStream;
import java.io.IOException;
import java.security.SecureRandom;

/**
 * Unpredictable bytes for WebSocket keys and masks.
 *
 * <p>Taken from the kernel where it offers them as a file: asking the JDK for a SecureRandom loads
 * its security providers, which the command line would pay for at each start.
 */
final class Entropy {
  private static final String KERNEL_SOURCE = "/dev/urandom";

  private final byte[] pool = new byte[256];
  private int used = pool.length;

  synchronized byte[] bytes(int count) {
    byte[] result = new byte[count];
    for (int i = 0; i < count; i++) {
      if (used == pool.length) {
        fill();
      }
      result[i] = pool[used];
      pool[used++] = 0;
    }
    return result;
  }

  private void fill() {
    try (var source = new FileInputStream(KERNEL_SOURCE)) {
      if (source.readNBytes(pool, 0, pool.length) == pool.length) {
        used = 0;
        return;
      }
    } catch (IOException absent) {
      // Not Linux, or a jail without it.
    }
    new SecureRandom().nextBytes(pool);
    used = 0;
  }
}
