package dev.cove.cli;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** The C library's calls on terminals. Loaded only when a terminal matters. */
final class TerminalCalls {
  private static final long TIOCGWINSZ = 0x5413;
  private static final int TCSADRAIN = 1;

  /** More than any C library's struct termios takes. */
  private static final int TERMIOS_BYTES = 128;

  /** Where Linux has the local modes in it, after those of input, output and the line. */
  private static final int LOCAL_MODES = 12;

  private static final int ECHO = 0x8;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle ISATTY =
      link("isatty", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle TCGETATTR =
      link("tcgetattr", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle TCSETATTR =
      link("tcsetattr", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle CFMAKERAW =
      link("cfmakeraw", FunctionDescriptor.ofVoid(ADDRESS));
  private static final MethodHandle IOCTL =
      link(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));

  /** An opaque struct termios. */
  static final class Attributes {
    private final MemorySegment struct;

    private Attributes(MemorySegment struct) {
      this.struct = struct;
    }
  }

  private TerminalCalls() {}

  @SuppressWarnings("restricted") // the launcher enables native access
  private static MethodHandle link(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    MemorySegment symbol = LINKER.defaultLookup().findOrThrow(name);
    return LINKER.downcallHandle(symbol, descriptor, options);
  }

  static boolean isTerminal(int descriptor) {
    try {
      return (int) ISATTY.invokeExact(descriptor) == 1;
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static Attributes attributes(int descriptor) {
    MemorySegment struct = Arena.ofAuto().allocate(TERMIOS_BYTES, Long.BYTES);
    try {
      if ((int) TCGETATTR.invokeExact(descriptor, struct) != 0) {
        throw new UserError("The terminal's settings can't be read.");
      }
    } catch (UserError e) {
      throw e;
    } catch (Throwable e) {
      throw impossible(e);
    }
    return new Attributes(struct);
  }

  static Attributes raw(Attributes from) {
    MemorySegment struct = copy(from);
    try {
      CFMAKERAW.invokeExact(struct);
    } catch (Throwable e) {
      throw impossible(e);
    }
    return new Attributes(struct);
  }

  static Attributes withoutEcho(Attributes from) {
    MemorySegment struct = copy(from);
    struct.set(JAVA_INT, LOCAL_MODES, struct.get(JAVA_INT, LOCAL_MODES) & ~ECHO);
    return new Attributes(struct);
  }

  private static MemorySegment copy(Attributes from) {
    MemorySegment struct = Arena.ofAuto().allocate(TERMIOS_BYTES, Long.BYTES);
    return struct.copyFrom(from.struct);
  }

  /** A terminal that is gone can't be set, and need not be. */
  static boolean setAttributes(int descriptor, Attributes attributes) {
    try {
      return (int) TCSETATTR.invokeExact(descriptor, TCSADRAIN, attributes.struct) == 0;
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static Optional<Terminal.Size> findSize(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_SHORT, 4);
      if ((int) IOCTL.invokeExact(descriptor, TIOCGWINSZ, size) != 0) {
        return Optional.empty();
      }
      int rows = Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 0));
      int cols = Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 1));
      return rows == 0 || cols == 0 ? Optional.empty() : Optional.of(new Terminal.Size(rows, cols));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  // invokeExact declares Throwable, but calls into the C library throw nothing.
  private static IllegalStateException impossible(Throwable e) {
    return new IllegalStateException("A call into the C library failed", e);
  }
}
