package dev.cove.engine.network;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Hands every TCP connection to one listener of the same network namespace, whatever address and
 * port it is for, but those to loopback addresses. The local address of such a connection is what
 * was asked for. Ends when it is closed, or with the process.
 *
 * <p>A small program in the kernel chooses the listener where it looks for one anyway: no packet is
 * rewritten, and nothing is kept for each connection.
 */
final class Redirection implements AutoCloseable {
  private static final int MAP_CREATE = 0;
  private static final int MAP_UPDATE = 2;
  private static final int PROGRAM_LOAD = 5;
  private static final int LINK_CREATE = 28;
  private static final int ATTRIBUTES = 128;

  private static final int SOCKET_MAP = 15;
  private static final int SOCKET_LOOKUP_PROGRAM = 30;
  private static final int SOCKET_LOOKUP_ATTACH = 36;

  private final int link;

  private Redirection(int link) {
    this.link = link;
  }

  static Redirection to(int listener, int namespace) throws IOException {
    try (var arena = Arena.ofConfined()) {
      int map = mapOf(arena, listener);
      try {
        int program = load(arena, map);
        try {
          return new Redirection(attach(arena, program, namespace));
        } finally {
          KernelCalls.close(program); // the link has it
        }
      } finally {
        KernelCalls.close(map); // the program has it
      }
    }
  }

  /** Throws what the kernel says against it. */
  static void rehearse(int listener) throws IOException {
    try (var arena = Arena.ofConfined()) {
      int map = mapOf(arena, listener);
      try {
        KernelCalls.close(load(arena, map));
      } finally {
        KernelCalls.close(map);
      }
    }
  }

  private static int mapOf(Arena arena, int socket) throws IOException {
    MemorySegment wish = arena.allocate(ATTRIBUTES, Long.BYTES);
    wish.set(JAVA_INT, 0, SOCKET_MAP);
    wish.set(JAVA_INT, 4, Integer.BYTES);
    wish.set(JAVA_INT, 8, Long.BYTES);
    wish.set(JAVA_INT, 12, 1);
    int map = KernelCalls.bpf(MAP_CREATE, wish);
    try {
      MemorySegment entry = arena.allocate(ATTRIBUTES, Long.BYTES);
      entry.set(JAVA_INT, 0, map);
      entry.set(JAVA_LONG, 8, arena.allocateFrom(JAVA_INT, 0).address());
      entry.set(JAVA_LONG, 16, arena.allocateFrom(JAVA_LONG, socket).address());
      KernelCalls.bpf(MAP_UPDATE, entry);
      return map;
    } catch (IOException e) {
      KernelCalls.close(map);
      throw e;
    }
  }

  private static int load(Arena arena, int map) throws IOException {
    byte[] program = new Program().choosing(map);
    MemorySegment code = arena.allocate(program.length, Long.BYTES);
    code.copyFrom(MemorySegment.ofArray(program));
    MemorySegment wish = arena.allocate(ATTRIBUTES, Long.BYTES);
    wish.set(JAVA_INT, 0, SOCKET_LOOKUP_PROGRAM);
    wish.set(JAVA_INT, 4, program.length / Program.INSTRUCTION);
    wish.set(JAVA_LONG, 8, code.address());
    wish.set(JAVA_LONG, 16, arena.allocateFrom("Apache-2.0").address());
    wish.set(JAVA_INT, 68, SOCKET_LOOKUP_ATTACH);
    return KernelCalls.bpf(PROGRAM_LOAD, wish);
  }

  private static int attach(Arena arena, int program, int namespace) throws IOException {
    MemorySegment wish = arena.allocate(ATTRIBUTES, Long.BYTES);
    wish.set(JAVA_INT, 0, program);
    wish.set(JAVA_INT, 4, namespace);
    wish.set(JAVA_INT, 8, SOCKET_LOOKUP_ATTACH);
    return KernelCalls.bpf(LINK_CREATE, wish);
  }

  @Override
  public void close() {
    KernelCalls.close(link);
  }

  /** Writes the program, forward jumps to its end included. */
  private static final class Program {
    static final int INSTRUCTION = 8;

    private static final int TCP = 6;
    private static final int IPV4 = 2;
    private static final int LOOPBACK = 127;

    // Places in what the kernel tells the program of a connection.
    private static final int FAMILY = 8;
    private static final int PROTOCOL = 12;
    private static final int ADDRESS_4 = 40;
    private static final int ADDRESS_6 = 44;

    private static final int LOOK_UP_IN_MAP = 1;
    private static final int RELEASE_SOCKET = 86;
    private static final int ASSIGN_SOCKET = 124;

    private static final int TO_THE_END = Short.MAX_VALUE;

    private record Step(int code, int to, int from, int offset, int value) {}

    private final List<Step> steps = new ArrayList<>();

    /** In every case the kernel goes on; without a socket of ours, as if this were not there. */
    byte[] choosing(int map) {
      copy(6, 1);
      load(2, 6, PROTOCOL);
      jumpUnless(2, TCP, TO_THE_END);
      load(2, 6, FAMILY);
      jumpUnless(2, IPV4, 4);
      load(2, 6, ADDRESS_4);
      add(0x57, 2, 0, 0, 0xFF); // its first byte
      jumpIf(2, LOOPBACK, TO_THE_END);
      add(0x05, 0, 0, 7, 0);
      // IPv6: ::1, :: and the other addresses of twelve zero bytes are left alone.
      load(2, 6, ADDRESS_6);
      load(3, 6, ADDRESS_6 + 4);
      add(0x4F, 2, 3, 0, 0);
      load(3, 6, ADDRESS_6 + 8);
      add(0x4F, 2, 3, 0, 0);
      jumpUnless(2, 0, 1);
      add(0x05, 0, 0, TO_THE_END, 0);
      // The listener is the map's only entry.
      add(0x18, 1, 1, 0, map);
      add(0, 0, 0, 0, 0);
      copy(2, 10);
      add(0x07, 2, 0, 0, -4);
      add(0x62, 2, 0, 0, 0);
      call(LOOK_UP_IN_MAP);
      jumpIf(0, 0, TO_THE_END);
      copy(7, 0);
      copy(2, 0);
      copy(1, 6);
      add(0xB7, 3, 0, 0, 0);
      call(ASSIGN_SOCKET);
      copy(1, 7);
      call(RELEASE_SOCKET);
      add(0xB7, 0, 0, 0, 1);
      add(0x95, 0, 0, 0, 0);
      return bytes();
    }

    private void add(int code, int to, int from, int offset, int value) {
      steps.add(new Step(code, to, from, offset, value));
    }

    private void copy(int to, int from) {
      add(0xBF, to, from, 0, 0);
    }

    private void load(int to, int from, int offset) {
      add(0x61, to, from, offset, 0);
    }

    private void jumpIf(int register, int value, int offset) {
      add(0x15, register, 0, offset, value);
    }

    private void jumpUnless(int register, int value, int offset) {
      add(0x55, register, 0, offset, value);
    }

    private void call(int function) {
      add(0x85, 0, 0, 0, function);
    }

    private byte[] bytes() {
      var bytes = ByteBuffer.allocate(steps.size() * INSTRUCTION).order(ByteOrder.nativeOrder());
      int end = steps.size() - 2;
      for (int i = 0; i < steps.size(); i++) {
        Step step = steps.get(i);
        int offset = step.offset() == TO_THE_END ? end - i - 1 : step.offset();
        bytes.put((byte) step.code());
        bytes.put((byte) (step.from() << 4 | step.to())); // the order of a little-endian machine
        bytes.putShort((short) offset);
        bytes.putInt(step.value());
      }
      return bytes.array();
    }
  }
}
