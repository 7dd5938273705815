package dev.cove.engine.network;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/** The few calls of the kernel that Java has no words for. */
final class KernelCalls {
  private static final int O_RDONLY_CLOEXEC = 0x80000;
  private static final int CLONE_NEWNET = 0x40000000;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle OPEN =
      link("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), 2);
  private static final MethodHandle CLOSE =
      link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), 1);
  private static final MethodHandle SETNS =
      link("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), 2);
  private static final MethodHandle SYSCALL =
      link("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), 1);

  private static final long BPF = System.getProperty("os.arch").equals("aarch64") ? 280 : 321;

  private KernelCalls() {}

  @SuppressWarnings("restricted") // the launcher enables native access
  private static MethodHandle link(String name, FunctionDescriptor descriptor, int fixedArguments) {
    int given = descriptor.argumentLayouts().size();
    Linker.Option errno = Linker.Option.captureCallState("errno");
    return fixedArguments == given
        ? LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, errno)
        : LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow(name),
            descriptor,
            errno,
            Linker.Option.firstVariadicArg(fixedArguments));
  }

  private interface Call {
    long with(Arena arena, MemorySegment state) throws Throwable;
  }

  private static int call(String what, Call call) throws IOException {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      long result = call.with(arena, state);
      if (result < 0) {
        throw new IOException("%s: error %d".formatted(what, (int) ERRNO.get(state, 0L)));
      }
      return (int) result;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A call of the C library failed", e);
    }
  }

  static int open(Path file) throws IOException {
    return call(
        "open " + file,
        (arena, state) ->
            (int) OPEN.invokeExact(state, arena.allocateFrom(file.toString()), O_RDONLY_CLOEXEC));
  }

  static void close(int descriptor) {
    try {
      call("close", (_, state) -> (int) CLOSE.invokeExact(state, descriptor));
    } catch (IOException e) {
      throw new IllegalStateException("A descriptor of our own could not be closed", e);
    }
  }

  /** The calling thread is in that network namespace from now on. */
  static void enterNetwork(int namespace) throws IOException {
    call("setns", (_, state) -> (int) SETNS.invokeExact(state, namespace, CLONE_NEWNET));
  }

  static int bpf(int command, MemorySegment attributes) throws IOException {
    return call(
        "bpf command " + command,
        (_, state) ->
            (long)
                SYSCALL.invokeExact(state, BPF, command, attributes, (int) attributes.byteSize()));
  }
}
