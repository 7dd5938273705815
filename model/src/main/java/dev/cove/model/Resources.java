package dev.cove.model;

/**
 * What a sandbox may use at most.
 *
 * @param milliCpus thousandths of a cpu
 * @param memoryMb memory, page cache and kernel objects included
 * @param diskMb the size of the writable layer
 * @param maxProcesses processes and threads together
 */
public record Resources(int milliCpus, int memoryMb, int diskMb, int maxProcesses) {
  public static final Resources DEFAULT = new Resources(1_000, 1_024, 4_096, 512);

  public Resources {
    requireBetween("cpus (in thousandths)", milliCpus, 50, 1_024_000);
    requireBetween("memoryMb", memoryMb, 16, 4_194_304);
    requireBetween("diskMb", diskMb, 16, 16_777_216);
    requireBetween("maxProcesses", maxProcesses, 8, 1_000_000);
  }

  private static void requireBetween(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be between %d and %d, was %d".formatted(name, min, max, value));
    }
  }
}
