package dev.cove.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Permission bits, as numbers and as Java knows them. Bits above 0777 are left behind. */
final class Modes {
  // From bit 8 down to bit 0.
  private static final PosixFilePermission[] BITS = {
    PosixFilePermission.OWNER_READ,
    PosixFilePermission.OWNER_WRITE,
    PosixFilePermission.OWNER_EXECUTE,
    PosixFilePermission.GROUP_READ,
    PosixFilePermission.GROUP_WRITE,
    PosixFilePermission.GROUP_EXECUTE,
    PosixFilePermission.OTHERS_READ,
    PosixFilePermission.OTHERS_WRITE,
    PosixFilePermission.OTHERS_EXECUTE
  };

  private Modes() {}

  static int bits(Path file) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
    int mode = 0;
    for (PosixFilePermission bit : BITS) {
      mode = (mode << 1) | (permissions.contains(bit) ? 1 : 0);
    }
    return mode;
  }

  static String octal(Path file) throws IOException {
    return String.format(Locale.ROOT, "%04o", bits(file));
  }

  static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> result = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < BITS.length; i++) {
      if ((mode & (1 << (BITS.length - 1 - i))) != 0) {
        result.add(BITS[i]);
      }
    }
    return result;
  }
}
