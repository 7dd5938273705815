package dev.cove.engine.container;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.cove.model.file.FileRanges.Range;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What the kernel tells about files with holes and Java does not. */
final class SparseFile {
  private static final int O_RDONLY_NOFOLLOW_CLOEXEC = 0x20000 | 0x80000;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int ENOENT = 2;
  private static final int ENXIO = 6;
  private static final int EINVAL = 22;

  private static final int AT_FDCWD = -100;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int STATX_BLOCKS = 0x400;
  private static final int STATX_BYTES = 256;
  private static final int STATX_BLOCKS_OFFSET = 48;
  private static final int STATX_BLOCK_SIZE = 512;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle OPEN =
      link("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle LSEEK =
      link("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle CLOSE =
      link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle STATX =
      link(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

  private SparseFile() {}

  @SuppressWarnings("restricted") // the launcher enables native access
  private static MethodHandle link(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        descriptor,
        Linker.Option.captureCallState("errno"));
  }

  /** The ranges that are not holes, in their order; one for all where the host cannot tell. */
  static List<Range> extents(Path file) throws IOException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int descriptor = open(arena, state, file);
      try {
        return extents(state, descriptor, file);
      } finally {
        var _ = (int) CLOSE.invokeExact(state, descriptor);
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A call of the C library failed", e);
    }
  }

  private static int open(Arena arena, MemorySegment state, Path file) throws Throwable {
    int descriptor =
        (int)
            OPEN.invokeExact(state, arena.allocateFrom(file.toString()), O_RDONLY_NOFOLLOW_CLOEXEC);
    if (descriptor < 0) {
      throw failure(state, file);
    }
    return descriptor;
  }

  private static List<Range> extents(MemorySegment state, int descriptor, Path file)
      throws Throwable {
    List<Range> extents = new ArrayList<>();
    long end = 0;
    while (true) {
      long start = (long) LSEEK.invokeExact(state, descriptor, end, SEEK_DATA);
      if (start < 0 && errno(state) == ENXIO) {
        return extents;
      }
      if (start < 0 && errno(state) == EINVAL) {
        return List.of(new Range(0, Files.size(file)));
      }
      end = start < 0 ? start : (long) LSEEK.invokeExact(state, descriptor, start, SEEK_HOLE);
      if (end < 0) {
        throw failure(state, file);
      }
      extents.add(new Range(start, end));
    }
  }

  /** Copies what a file holds, without its holes, to one that must not exist. */
  static void copy(Path from, Path to) throws IOException {
    try (var source = FileChannel.open(from, StandardOpenOption.READ);
        var target =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (Range range : extents(from)) {
        long at = range.start();
        while (at < range.end()) {
          target.position(at);
          at += source.transferTo(at, range.end() - at, target);
        }
      }
      if (target.size() < source.size()) {
        target.write(ByteBuffer.wrap(new byte[1]), source.size() - 1);
      }
    }
  }

  /** What a file takes on the disk. */
  static long bytesOnDisk(Path file) throws IOException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment facts = arena.allocate(STATX_BYTES, Long.BYTES);
      int outcome =
          (int)
              STATX.invokeExact(
                  state,
                  AT_FDCWD,
                  arena.allocateFrom(file.toString()),
                  AT_SYMLINK_NOFOLLOW,
                  STATX_BLOCKS,
                  facts);
      if (outcome < 0) {
        throw failure(state, file);
      }
      return facts.get(JAVA_LONG_UNALIGNED, STATX_BLOCKS_OFFSET) * STATX_BLOCK_SIZE;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A call of the C library failed", e);
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  private static IOException failure(MemorySegment state, Path file) {
    return errno(state) == ENOENT
        ? new NoSuchFileException(file.toString())
        : new IOException("Could not examine %s: error %d".formatted(file, errno(state)));
  }
}
