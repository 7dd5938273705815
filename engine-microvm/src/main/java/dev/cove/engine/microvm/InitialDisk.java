package dev.cove.engine.microvm;

import dev.cove.guest.AgentBinary;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a kernel finds in memory when it starts: our first program, the agent, and the drivers. In
 * the format of {@code cpio -H newc}, the same bytes for the same content.
 */
final class InitialDisk {
  private static final int FILE = 0100000;
  private static final int FOLDER = 040000;
  private static final int ALIGNMENT = 4;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(4 << 20);
  private int number;

  private InitialDisk() {}

  static InitialDisk of(byte[] first, GuestKernel kernel) {
    var disk = new InitialDisk();
    disk.add("init", FILE | 0755, first);
    disk.add("cove-agent", FILE | 0555, AgentBinary.forThisMachine().bytes());
    disk.add("command", FILE | 0555, AgentBinary.checkpointCommand().bytes());
    disk.add("modules", FOLDER | 0755, new byte[0]);
    int order = 0;
    for (Map.Entry<String, byte[]> driver : kernel.drivers().entrySet()) {
      disk.add(
          "modules/%02d-%s".formatted(order++, driver.getKey()), FILE | 0644, driver.getValue());
    }
    disk.add("TRAILER!!!", 0, new byte[0]);
    return disk;
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }

  private void add(String name, int mode, byte[] content) {
    byte[] encoded = name.getBytes(StandardCharsets.US_ASCII);
    int[] fields = {++number, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, encoded.length + 1, 0};
    var head = new StringBuilder("070701");
    for (int field : fields) {
      head.append("%08X".formatted(field));
    }
    bytes.writeBytes(head.toString().getBytes(StandardCharsets.US_ASCII));
    bytes.writeBytes(encoded);
    bytes.write(0);
    align();
    bytes.writeBytes(content);
    align();
  }

  private void align() {
    while (bytes.size() % ALIGNMENT != 0) {
      bytes.write(0);
    }
  }
}
