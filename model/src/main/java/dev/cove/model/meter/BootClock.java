package dev.cove.model.meter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;

/** Time since the host came up: even, and the same in every process until the next boot. */
@FunctionalInterface
public interface BootClock {
  Moment now();

  /** The clock of this host. */
  static BootClock ofHost() {
    try {
      String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
      String uptime = Files.readString(Path.of("/proc/uptime")).split(" ")[0];
      long origin = new BigDecimal(uptime).movePointRight(9).longValueExact() - System.nanoTime();
      return () -> new Moment(boot, origin + System.nanoTime());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read how long this host has been up", e);
    }
  }
}
