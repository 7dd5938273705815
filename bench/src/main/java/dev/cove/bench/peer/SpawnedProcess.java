package dev.cove.bench.peer;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.List;

/**
 * A program started with {@code posix_spawn}, whose first output and end can be timed.
 *
 * <p>Why not {@code ProcessBuilder}: it starts a helper program first, which costs 1.3 ms of the
 * 2.6 ms that an echo takes on the development machine. Peers are charged with as little of our own
 * cost as possible. The output is read but not kept; standard error is dropped.
 */
public final class SpawnedProcess implements AutoCloseable {
  private static final int O_CLOEXEC = 0x80000;
  private static final int O_RDWR = 2;
  private static final short POLLIN = 1;
  private static final int SIGKILL = 9;

  private static final MethodHandle PIPE2 = function("pipe2", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle CLOSE = function("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle READ =
      function("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final MethodHandle POLL = function("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle KILL = function("kill", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle WAITPID =
      function("waitpid", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle PIDFD_OPEN =
      function("pidfd_open", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle ACTIONS_INIT =
      function("posix_spawn_file_actions_init", JAVA_INT, ADDRESS);
  private static final MethodHandle ACTIONS_DESTROY =
      function("posix_spawn_file_actions_destroy", JAVA_INT, ADDRESS);
  private static final MethodHandle ACTIONS_DUP2 =
      function("posix_spawn_file_actions_adddup2", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle ACTIONS_OPEN =
      function(
          "posix_spawn_file_actions_addopen",
          JAVA_INT,
          ADDRESS,
          JAVA_INT,
          ADDRESS,
          JAVA_INT,
          JAVA_INT);
  private static final MethodHandle SPAWN =
      function("posix_spawn", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);

  private final Arena memory = Arena.ofConfined();
  private final MemorySegment buffer = memory.allocate(4096);
  private final MemorySegment pollEntry = memory.allocate(8, 4);
  private final int pid;
  private final int output;
  private final int pidHandle;
  private boolean reaped;

  private SpawnedProcess(int pid, int output, int pidHandle) {
    this.pid = pid;
    this.output = output;
    this.pidHandle = pidHandle;
  }

  /** The command as it will be handed to the kernel: made before the clock starts. */
  public static final class Prepared implements AutoCloseable {
    private final Arena memory = Arena.ofConfined();
    private final MemorySegment path;
    private final MemorySegment arguments;
    private final MemorySegment environment;
    private final MemorySegment devNull = memory.allocateFrom("/dev/null");

    /** The first word is the path of the program: nothing is looked up while the clock runs. */
    public Prepared(List<String> command) {
      path = memory.allocateFrom(command.getFirst());
      arguments = strings(command);
      environment =
          strings(
              System.getenv().entrySet().stream()
                  .map(entry -> entry.getKey() + "=" + entry.getValue())
                  .toList());
    }

    private MemorySegment strings(List<String> texts) {
      MemorySegment array = memory.allocate(ADDRESS, texts.size() + 1L);
      for (int i = 0; i < texts.size(); i++) {
        array.setAtIndex(ADDRESS, i, memory.allocateFrom(texts.get(i)));
      }
      return array;
    }

    public SpawnedProcess start() throws IOException {
      try (Arena scratch = Arena.ofConfined()) {
        MemorySegment ends = scratch.allocate(JAVA_INT, 2);
        check("pipe2", -(int) PIPE2.invokeExact(ends, O_CLOEXEC));
        int readEnd = ends.getAtIndex(JAVA_INT, 0);
        int writeEnd = ends.getAtIndex(JAVA_INT, 1);
        MemorySegment pid = scratch.allocate(JAVA_INT);
        int error = spawn(scratch, pid, writeEnd);
        int _ = (int) CLOSE.invokeExact(writeEnd);
        if (error != 0) {
          int _ = (int) CLOSE.invokeExact(readEnd);
          throw new IOException("posix_spawn failed with error number " + error);
        }
        int pidHandle = (int) PIDFD_OPEN.invokeExact(pid.get(JAVA_INT, 0), 0);
        return new SpawnedProcess(pid.get(JAVA_INT, 0), readEnd, pidHandle);
      } catch (Throwable failure) {
        throw translated(failure);
      }
    }

    private int spawn(Arena scratch, MemorySegment pid, int writeEnd) throws Throwable {
      MemorySegment actions = scratch.allocate(128, 8);
      check("file actions", (int) ACTIONS_INIT.invokeExact(actions));
      try {
        check("stdin", (int) ACTIONS_OPEN.invokeExact(actions, 0, devNull, O_RDWR, 0));
        check("stdout", (int) ACTIONS_DUP2.invokeExact(actions, writeEnd, 1));
        check("stderr", (int) ACTIONS_OPEN.invokeExact(actions, 2, devNull, O_RDWR, 0));
        return (int)
            SPAWN.invokeExact(pid, path, actions, MemorySegment.NULL, arguments, environment);
      } finally {
        int _ = (int) ACTIONS_DESTROY.invokeExact(actions);
      }
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  /** Waits for the first byte of output. */
  public void awaitOutput(Duration limit) throws IOException {
    try {
      awaitReadable(output, limit, "printed nothing");
      if ((long) READ.invokeExact(output, buffer, buffer.byteSize()) <= 0) {
        throw new IOException("The program closed its output without printing anything.");
      }
    } catch (Throwable failure) {
      throw translated(failure);
    }
  }

  /** Waits for the end of the program and returns its exit code. */
  public int awaitExit(Duration limit) throws IOException {
    try {
      awaitReadable(pidHandle, limit, "did not end");
      return reap();
    } catch (Throwable failure) {
      throw translated(failure);
    }
  }

  private void awaitReadable(int descriptor, Duration limit, String complaint) throws Throwable {
    pollEntry.set(JAVA_INT, 0, descriptor);
    pollEntry.set(JAVA_SHORT, 4, POLLIN);
    if ((int) POLL.invokeExact(pollEntry, 1L, (int) limit.toMillis()) != 1) {
      throw new IOException("The program " + complaint + " within " + limit.toSeconds() + " s.");
    }
  }

  private int reap() throws Throwable {
    MemorySegment status = buffer.asSlice(0, 4);
    int _ = (int) WAITPID.invokeExact(pid, status, 0);
    reaped = true;
    int word = status.get(JAVA_INT, 0);
    int signal = word & 0x7f;
    return signal == 0 ? word >> 8 & 0xff : 128 + signal;
  }

  /** Kills the program if it still runs. */
  @Override
  public void close() {
    try {
      if (!reaped) {
        int _ = (int) KILL.invokeExact(pid, SIGKILL);
        int _ = reap();
      }
      int _ = (int) CLOSE.invokeExact(output);
      int _ = (int) CLOSE.invokeExact(pidHandle);
    } catch (Throwable failure) {
      throw new IllegalStateException("Could not release a spawned program.", failure);
    } finally {
      memory.close();
    }
  }

  private static void check(String what, int error) throws IOException {
    if (error != 0) {
      throw new IOException("Could not prepare a program's " + what + ", error number " + error);
    }
  }

  /** Method handles declare Throwable; only I/O errors are expected from ours. */
  private static IOException translated(Throwable failure) {
    return switch (failure) {
      case IOException expected -> expected;
      case RuntimeException ours -> throw ours;
      case Error error -> throw error;
      default -> new IOException(failure);
    };
  }

  @SuppressWarnings("restricted") // Calling C is what this class is for.
  private static MethodHandle function(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
  }
}
