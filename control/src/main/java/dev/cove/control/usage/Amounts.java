package dev.cove.control.usage;

/**
 * So much of everything that is counted.
 *
 * @param memoryKibSeconds memory in use, times how long
 * @param diskKibSeconds what files take on the host's disk, times how long
 */
public record Amounts(
    long cpuMicros,
    long memoryKibSeconds,
    long diskKibSeconds,
    long sentBytes,
    long receivedBytes,
    long runningMillis,
    long pausedMillis,
    long stoppedMillis) {
  public static final Amounts NOTHING = new Amounts(0, 0, 0, 0, 0, 0, 0, 0);

  public Amounts plus(Amounts more) {
    return new Amounts(
        cpuMicros + more.cpuMicros,
        memoryKibSeconds + more.memoryKibSeconds,
        diskKibSeconds + more.diskKibSeconds,
        sentBytes + more.sentBytes,
        receivedBytes + more.receivedBytes,
        runningMillis + more.runningMillis,
        pausedMillis + more.pausedMillis,
        stoppedMillis + more.stoppedMillis);
  }

  /** Both ways together. */
  public long egressBytes() {
    return sentBytes + receivedBytes;
  }
}
