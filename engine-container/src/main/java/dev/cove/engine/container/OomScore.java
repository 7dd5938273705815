package dev.cove.engine.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Whom the kernel kills when memory runs out: the higher the score, the sooner. Children inherit
 * it; the spawner gives cages one of their own.
 */
public final class OomScore {
  private static final Path OWN = Path.of("/proc/self/oom_score_adj");

  /** Nearly never: not before everything else on the host. */
  private static final int PROTECTED = -900;

  private OomScore() {}

  /**
   * Has the kernel spare this process, and those that it starts, for as long as there is anybody
   * else.
   *
   * @return false where that is not for us to say
   */
  public static boolean protect() {
    try {
      if (now() > PROTECTED) {
        write(PROTECTED);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether {@link #protect} succeeds, or did. Nothing is different afterwards. */
  static boolean canProtect() {
    try {
      int before = now();
      if (before > PROTECTED) {
        write(PROTECTED);
        write(before);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static int now() throws IOException {
    return Integer.parseInt(Files.readString(OWN).strip());
  }

  private static void write(int score) throws IOException {
    Files.writeString(OWN, Integer.toString(score), StandardOpenOption.WRITE);
  }
}
