package dev.cove.server;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Two folders that change names at one moment, which Java has no call for. */
final class FolderSwap {
  private static final int AT_FDCWD = -100;
  private static final int RENAME_EXCHANGE = 2;
  private static final int EBUSY = 16;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private FolderSwap() {}

  @SuppressWarnings("restricted") // the launcher enables native access
  private static MethodHandle renameat2() {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow("renameat2"),
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT),
        Linker.Option.captureCallState("errno"));
  }

  /** Durable when this returns. */
  static void exchange(Path one, Path other) throws IOException {
    int error;
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int outcome =
          (int)
              renameat2()
                  .invokeExact(
                      state,
                      AT_FDCWD,
                      arena.allocateFrom(one.toString()),
                      AT_FDCWD,
                      arena.allocateFrom(other.toString()),
                      RENAME_EXCHANGE);
      error = outcome == 0 ? 0 : (int) ERRNO.get(state, 0L);
    } catch (Throwable e) {
      throw new IllegalStateException("A call of the C library failed", e);
    }
    if (error != 0) {
      throw new IOException(
          error == EBUSY
              ? other + " is a disk of its own, or in use, and cannot change places with " + one
              : "%s and %s cannot change places: error %d".formatted(one, other, error));
    }
    try (var folder = FileChannel.open(other.toAbsolutePath().getParent())) {
      folder.force(true);
    }
  }
}
