package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** One running spawner and the frames to and from it. Ends when its input does. */
final class SpawnerProcess {
  static final int FACT_FAVOR_MOVES = 1;
  static final int FACT_LOOP_DEVICES = 2;

  private static final int MAX_FRAME = 65_536;
  private static final int KIND_HELLO = 1;
  private static final int KIND_OK = 2;
  private static final int KIND_ERROR = 3;
  private static final int KIND_EXIT = 4;
  private static final int DEADLINE_SECONDS = 60;

  /** What the spawner tells without being asked. */
  interface Listener {
    void exited(ProcessKey process, int status);

    /** The spawner is gone. Called once. */
    void ended(boolean everWorked);
  }

  private final Process process;
  private final OutputStream requests;
  private final Listener listener;
  private final AtomicInteger lastSeq = new AtomicInteger();
  private final Map<Integer, CompletableFuture<long[]>> waiting = new ConcurrentHashMap<>();
  private final CompletableFuture<Integer> facts = new CompletableFuture<>();
  private volatile boolean ended;

  private SpawnerProcess(Process process, Listener listener) {
    this.process = process;
    this.requests = process.getOutputStream();
    this.listener = listener;
  }

  static SpawnerProcess start(ProcessBuilder command, Listener listener) {
    try {
      command.redirectError(ProcessBuilder.Redirect.INHERIT);
      var spawner = new SpawnerProcess(command.start(), listener);
      // A platform thread: it blocks in read(2) for as long as the spawner lives.
      Thread.ofPlatform().daemon().name("cove-spawner-replies").start(spawner::readReplies);
      return spawner;
    } catch (IOException e) {
      throw new EngineException("Could not start the spawner", e);
    }
  }

  int facts() {
    return await(facts, "start");
  }

  long pid() {
    return process.pid();
  }

  /**
   * Asks and waits.
   *
   * @throws SpawnerRefusedException when the answer is no
   */
  long[] call(SpawnerRequest request) {
    int seq = lastSeq.incrementAndGet();
    var answer = new CompletableFuture<long[]>();
    waiting.put(seq, answer);
    try {
      send(seq, request);
      if (ended) {
        throw new EngineException("The spawner has ended");
      }
      return await(answer, request.purpose());
    } catch (IOException e) {
      throw new EngineException("The spawner does not take requests", e);
    } finally {
      waiting.remove(seq);
    }
  }

  private void send(int seq, SpawnerRequest request) throws IOException {
    byte[] frame = request.frame(seq);
    synchronized (requests) {
      requests.write(frame);
      requests.flush();
    }
  }

  private static <T> T await(CompletableFuture<T> answer, String purpose) {
    try {
      return answer.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SpawnerRefusedException refused) {
        throw refused;
      }
      throw new EngineException("Could not %s: the spawner is gone".formatted(purpose), e);
    } catch (TimeoutException e) {
      throw new EngineException(
          "Could not %s: no answer in %d s".formatted(purpose, DEADLINE_SECONDS), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("Could not %s: interrupted".formatted(purpose), e);
    }
  }

  private void readReplies() {
    try (var replies = new DataInputStream(process.getInputStream())) {
      while (true) {
        int size = Integer.reverseBytes(replies.readInt());
        if (size < 5 || size > MAX_FRAME) {
          throw new IOException("The spawner sent a frame of %d bytes".formatted(size));
        }
        dispatch(ByteBuffer.wrap(replies.readNBytes(size)).order(ByteOrder.LITTLE_ENDIAN));
      }
    } catch (EOFException e) {
      end("it ended");
    } catch (IOException e) {
      end(e.toString());
    }
  }

  private void dispatch(ByteBuffer frame) throws IOException {
    int seq = frame.getInt();
    switch (frame.get()) {
      case KIND_HELLO -> facts.complete(frame.getInt());
      case KIND_OK -> answer(seq).complete(longs(frame));
      case KIND_ERROR ->
          answer(seq).completeExceptionally(new SpawnerRefusedException(error(frame)));
      case KIND_EXIT -> {
        var key = new ProcessKey(frame.getInt(), frame.getLong());
        listener.exited(key, frame.getInt());
      }
      default -> throw new IOException("The spawner sent an unknown kind of frame");
    }
  }

  private CompletableFuture<long[]> answer(int seq) {
    var answer = waiting.get(seq);
    return answer == null ? new CompletableFuture<>() : answer;
  }

  private static long[] longs(ByteBuffer frame) {
    long[] values = new long[frame.remaining() / Long.BYTES];
    frame.asLongBuffer().get(values);
    return values;
  }

  private static String error(ByteBuffer frame) {
    frame.getInt();
    return StandardCharsets.UTF_8.decode(frame).toString();
  }

  private void end(String why) {
    ended = true;
    boolean everWorked = facts.isDone();
    var failure = new EngineException("The spawner is gone: " + why);
    facts.completeExceptionally(failure);
    waiting.values().forEach(answer -> answer.completeExceptionally(failure));
    listener.ended(everWorked);
  }

  /** Lets the spawner go; the cages stay. */
  void close() {
    try {
      requests.close();
    } catch (IOException e) {
      process.destroy();
    }
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
