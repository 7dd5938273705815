package dev.cove.review.tree;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.cove.model.file.ByteText;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernel's calls on files that take a folder's descriptor, most of which Java does not have.
 */
final class FileCalls {
  static final int AT_FDCWD = -100;
  static final int AT_REMOVEDIR = 0x200;
  static final int RENAME_NOREPLACE = 1;
  static final int RENAME_EXCHANGE = 2;

  private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
  static final int O_WRONLY = 1;
  static final int O_CREAT = 0x40;
  static final int O_EXCL = 0x80;
  static final int O_NONBLOCK = 0x800;
  static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
  static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
  static final int O_CLOEXEC = 0x80000;
  static final int O_PATH = 0x200000;

  private static final long SYS_OPENAT2 = 437;
  private static final long SYS_SETGROUPS = ARM ? 159 : 116;

  /** No id at all: asks for the one that holds. */
  private static final int NOBODY_AT_ALL = -1;

  /** No other file system, no link of any kind, nothing above. */
  private static final long RESOLVE_STRICTLY = 0x1 | 0x2 | 0x4 | 0x8;

  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_BASIC = 0x7ff;
  private static final int STATX_BYTES = 256;
  private static final int LISTING_BYTES = 32 * 1024;
  private static final int MOST_LINK_BYTES = 4096;

  /** What a listing says of names. */
  static final byte UNKNOWN = 0;

  static final byte FOLDER = 4;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SYSCALL =
      link(
          "syscall",
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));
  private static final MethodHandle STATX =
      link(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle GETDENTS =
      link("getdents64", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle READLINK =
      link("readlinkat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));
  private static final MethodHandle RENAME =
      link(
          "renameat2",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle UNLINK =
      link("unlinkat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle MKDIR =
      link("mkdirat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle SYMLINK =
      link("symlinkat", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
  private static final MethodHandle FCHMOD =
      link("fchmod", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle FCHOWNAT =
      link(
          "fchownat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle SETFSUID =
      link("setfsuid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SETFSGID =
      link("setfsgid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SYNCFS =
      link("syncfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle CLOSE =
      link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle READ =
      link("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle WRITE =
      link("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle FGETXATTR =
      link("fgetxattr", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));

  private FileCalls() {}

  @SuppressWarnings("restricted") // the launcher enables native access
  private static MethodHandle link(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    var all = new ArrayList<>(List.of(options));
    all.add(Linker.Option.captureCallState("errno"));
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name), descriptor, all.toArray(Linker.Option[]::new));
  }

  /** What a call needs besides its descriptors: memory for as long as it lasts. */
  private static final class Call implements AutoCloseable {
    final Arena arena = Arena.ofConfined();
    final MemorySegment state = arena.allocate(CALL_STATE);

    MemorySegment text(String text) {
      byte[] bytes = ByteText.encode(text);
      MemorySegment segment = arena.allocate(bytes.length + 1L);
      return segment.copyFrom(MemorySegment.ofArray(bytes));
    }

    long checked(String call, String name, long outcome) throws FileCallException {
      if (outcome < 0) {
        throw new FileCallException(call, name, (int) ERRNO.get(state, 0L));
      }
      return outcome;
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  @FunctionalInterface
  private interface Work<T> {
    T run(Call call) throws Throwable;
  }

  /** The one place where C is called: invokeExact declares Throwable, and C throws nothing. */
  private static <T> T within(Work<T> work) throws FileCallException {
    try (var call = new Call()) {
      return work.run(call);
    } catch (FileCallException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A call into the C library failed", e);
    }
  }

  private static long call(String what, String name, Work<Long> work) throws FileCallException {
    return within(call -> call.checked(what, name, work.run(call)));
  }

  /** Opens a folder by a name that its user chose, links and all. */
  static int openFolder(String path) throws FileCallException {
    return open(AT_FDCWD, path, O_DIRECTORY, 0, 0);
  }

  /** Opens what lies below a folder, over folders of the same file system alone. */
  static int openBelow(int folder, String path, int flags, int mode) throws FileCallException {
    return open(folder, path.isEmpty() ? "." : path, flags, mode, RESOLVE_STRICTLY);
  }

  private static int open(int folder, String path, int flags, int mode, long resolve)
      throws FileCallException {
    return (int)
        call(
            "openat2",
            path,
            call -> {
              MemorySegment how = call.arena.allocate(JAVA_LONG, 3);
              how.setAtIndex(JAVA_LONG, 0, flags | O_CLOEXEC);
              how.setAtIndex(JAVA_LONG, 1, mode);
              how.setAtIndex(JAVA_LONG, 2, resolve);
              return (long)
                  SYSCALL.invokeExact(
                      call.state, SYS_OPENAT2, folder, call.text(path), how, how.byteSize());
            });
  }

  /** Of a name in the folder, or with an empty name of the descriptor itself. */
  static Entry stat(int folder, String name) throws FileCallException {
    return within(call -> {
      MemorySegment found = call.arena.allocate(STATX_BYTES, Long.BYTES);
      int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
      int outcome =
          (int) STATX.invokeExact(call.state, folder, call.text(name), flags, STATX_BASIC, found);
      call.checked("statx", name, outcome);
      return entry(found);
    });
  }

  private static Entry entry(MemorySegment found) {
    int mode = Short.toUnsignedInt(found.get(JAVA_SHORT, 28));
    boolean zero = found.get(JAVA_INT, 128) == 0 && found.get(JAVA_INT, 132) == 0;
    Entry.Kind kind =
        switch (mode & 0170000) {
          case 0100000 -> Entry.Kind.FILE;
          case 0040000 -> Entry.Kind.FOLDER;
          case 0120000 -> Entry.Kind.LINK;
          case 0020000 -> zero ? Entry.Kind.WHITEOUT : Entry.Kind.SPECIAL;
          default -> Entry.Kind.SPECIAL;
        };
    return new Entry(
        kind,
        mode & 07777,
        found.get(JAVA_LONG, 40),
        found.get(JAVA_INT, 16),
        found.get(JAVA_INT, 20),
        found.get(JAVA_INT, 24),
        Instant.ofEpochSecond(found.get(JAVA_LONG, 96), found.get(JAVA_INT, 104)));
  }

  /** Names in a folder that is open for reading, at most so many. */
  static List<String> list(int folder, int limit) throws FileCallException {
    return within(call -> {
      var names = new ArrayList<String>();
      MemorySegment buffer = call.arena.allocate(LISTING_BYTES, Long.BYTES);
      while (names.size() < limit) {
        long read = (long) GETDENTS.invokeExact(call.state, folder, buffer, buffer.byteSize());
        if (call.checked("getdents64", ".", read) == 0) {
          break;
        }
        takeNames(buffer, read, names, new ArrayList<>());
      }
      return names.size() > limit ? names.subList(0, limit) : names;
    });
  }

  /** The same, each with what the folder says that it is: {@link #FOLDER}, or unknown. */
  static Map<String, Byte> listKinds(int folder, int limit) throws FileCallException {
    return within(call -> {
      var kinds = new HashMap<String, Byte>();
      MemorySegment buffer = call.arena.allocate(LISTING_BYTES, Long.BYTES);
      while (kinds.size() < limit) {
        long read = (long) GETDENTS.invokeExact(call.state, folder, buffer, buffer.byteSize());
        if (call.checked("getdents64", ".", read) == 0) {
          break;
        }
        var names = new ArrayList<String>();
        var bytes = new ArrayList<Byte>();
        takeNames(buffer, read, names, bytes);
        for (int i = 0; i < names.size(); i++) {
          kinds.put(names.get(i), bytes.get(i));
        }
      }
      return kinds;
    });
  }

  private static void takeNames(
      MemorySegment buffer, long read, List<String> names, List<Byte> kinds) {
    for (long at = 0; at < read; ) {
      int length = Short.toUnsignedInt(buffer.get(JAVA_SHORT, at + 16));
      long name = at + 19;
      long end = name;
      while (buffer.get(JAVA_BYTE, end) != 0) {
        end++;
      }
      String text = ByteText.decode(buffer.asSlice(name, end - name).toArray(JAVA_BYTE));
      if (!text.equals(".") && !text.equals("..")) {
        names.add(text);
        kinds.add(buffer.get(JAVA_BYTE, at + 18));
      }
      at += length;
    }
  }

  static String readLink(int folder, String name) throws FileCallException {
    return within(call -> {
      MemorySegment buffer = call.arena.allocate(MOST_LINK_BYTES);
      long length =
          (long)
              READLINK.invokeExact(call.state, folder, call.text(name), buffer, buffer.byteSize());
      call.checked("readlinkat", name, length);
      return ByteText.decode(buffer.asSlice(0, length).toArray(JAVA_BYTE));
    });
  }

  static void rename(int folder, String from, int target, String to, int flags)
      throws FileCallException {
    var _ =
        call(
            "renameat2",
            to,
            call ->
                (long)
                    (int)
                        RENAME.invokeExact(
                            call.state, folder, call.text(from), target, call.text(to), flags));
  }

  static void unlink(int folder, String name, int flags) throws FileCallException {
    var _ =
        call(
            "unlinkat",
            name,
            call -> (long) (int) UNLINK.invokeExact(call.state, folder, call.text(name), flags));
  }

  static void makeFolder(int folder, String name, int mode) throws FileCallException {
    var _ =
        call(
            "mkdirat",
            name,
            call -> (long) (int) MKDIR.invokeExact(call.state, folder, call.text(name), mode));
  }

  static void makeLink(int folder, String name, String target) throws FileCallException {
    var _ =
        call(
            "symlinkat",
            name,
            call ->
                (long)
                    (int)
                        SYMLINK.invokeExact(
                            call.state, call.text(target), folder, call.text(name)));
  }

  static void changeMode(int file, int mode) throws FileCallException {
    var _ = call("fchmod", "", call -> (long) (int) FCHMOD.invokeExact(call.state, file, mode));
  }

  static void changeOwner(int folder, String name, int uid, int gid) throws FileCallException {
    int flags = AT_SYMLINK_NOFOLLOW;
    var _ =
        call(
            "fchownat",
            name,
            call ->
                (long)
                    (int)
                        FCHOWNAT.invokeExact(call.state, folder, call.text(name), uid, gid, flags));
  }

  /**
   * As whom this thread, and no other, is on file systems; the kernel takes the capabilities of
   * root away with it. It does not say no, so it is asked what holds.
   */
  static void becomeOnFiles(int uid, int gid) {
    try {
      within(call -> {
        int before = (int) SETFSGID.invokeExact(call.state, gid);
        int now = (int) SETFSGID.invokeExact(call.state, NOBODY_AT_ALL);
        int uidBefore = (int) SETFSUID.invokeExact(call.state, uid);
        int uidNow = (int) SETFSUID.invokeExact(call.state, NOBODY_AT_ALL);
        if (now != gid || uidNow != uid) {
          throw new IllegalStateException(
              "The kernel keeps %d:%d where %d:%d was wanted"
                  .formatted(uidBefore, before, uid, gid));
        }
        return uidNow;
      });
    } catch (FileCallException e) {
      throw new IllegalStateException("This call reports no error", e);
    }
  }

  /** Of this thread alone, by the kernel's own call: the C library's is for all threads. */
  static void leaveGroups() throws FileCallException {
    var _ =
        call(
            "setgroups",
            "",
            call ->
                (long)
                    SYSCALL.invokeExact(
                        call.state, SYS_SETGROUPS, 0, MemorySegment.NULL, MemorySegment.NULL, 0L));
  }

  static void syncAll(int file) throws FileCallException {
    var _ = call("syncfs", "", call -> (long) (int) SYNCFS.invokeExact(call.state, file));
  }

  static void close(int file) throws FileCallException {
    var _ = call("close", "", call -> (long) (int) CLOSE.invokeExact(call.state, file));
  }

  /** Zero at the end. */
  static int read(int file, byte[] bytes, int offset, int length) throws FileCallException {
    return (int)
        call(
            "read",
            "",
            call -> {
              MemorySegment buffer = call.arena.allocate(length);
              long read = (long) READ.invokeExact(call.state, file, buffer, (long) length);
              if (read > 0) {
                MemorySegment.copy(buffer, JAVA_BYTE, 0, bytes, offset, (int) read);
              }
              return read;
            });
  }

  static int write(int file, byte[] bytes, int offset, int length) throws FileCallException {
    return (int)
        call(
            "write",
            "",
            call -> {
              MemorySegment buffer = call.arena.allocate(length);
              MemorySegment.copy(bytes, offset, buffer, JAVA_BYTE, 0, length);
              return (long) WRITE.invokeExact(call.state, file, buffer, (long) length);
            });
  }

  /** Whether an open file has an attribute that begins with this byte. */
  static boolean hasAttribute(int file, String name, byte first) throws FileCallException {
    try {
      return within(call -> {
        MemorySegment buffer = call.arena.allocate(16);
        long length =
            (long)
                FGETXATTR.invokeExact(call.state, file, call.text(name), buffer, buffer.byteSize());
        call.checked("fgetxattr", name, length);
        return length > 0 && buffer.get(JAVA_BYTE, 0) == first;
      });
    } catch (FileCallException e) {
      if (e.error() == FileCallException.ENODATA || e.error() == FileCallException.EOPNOTSUPP) {
        return false;
      }
      throw e;
    }
  }
}
