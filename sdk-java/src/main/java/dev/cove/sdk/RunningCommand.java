package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import dev.cove.sdk.transport.WebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A command with its streams open.
 *
 * <p>Take its output in one of two ways: {@link #copyTo} on the calling thread, or {@link #stdout}
 * and {@link #stderr}. Streams hold a bounded amount; one that is not read holds the command back,
 * as with any process. Closing ends the command, unless it was started to keep running.
 */
public final class RunningCommand implements AutoCloseable {
  private static final int PIPE_CAPACITY = 256 * 1024;
  private static final int STDIN_MESSAGE = 32 * 1024;
  private static final int STDOUT = 1;
  private static final int STDERR = 2;

  /** Where received output goes. */
  private interface Sink {
    void accept(int stream, byte[] bytes, int offset, int length)
        throws IOException, InterruptedException;
  }

  private final WebSocket socket;
  private final Api api;
  private final long processId;
  private final long pid;
  private final OutputStream stdin = new Stdin();
  private final BoundedPipe stdout = new BoundedPipe(PIPE_CAPACITY);
  private final BoundedPipe stderr = new BoundedPipe(PIPE_CAPACITY);
  private final CompletableFuture<ExitStatus> exit = new CompletableFuture<>();
  private final AtomicBoolean receiving = new AtomicBoolean();
  private volatile boolean closed;

  private RunningCommand(WebSocket socket, Api api, JsonObject started) {
    this.socket = socket;
    this.api = api;
    this.processId = started.requireLong("processId");
    this.pid = started.requireLong("pid");
  }

  static RunningCommand start(Api api, String sandboxPath, Command command) {
    WebSocket socket = api.openWebSocket(sandboxPath + "/attach");
    return begin(api, socket, Optional.of(command.toStartMessage()));
  }

  static RunningCommand attach(Api api, String processPath) {
    return begin(api, api.openWebSocket(processPath + "/attach"), Optional.empty());
  }

  private static RunningCommand begin(Api api, WebSocket socket, Optional<JsonObject> first) {
    try {
      if (first.isPresent()) {
        socket.sendText(Json.writeText(first.get()));
      }
      return switch (socket.receive()) {
        case WebSocket.Message.Text(String text) -> {
          JsonObject message = parse(text);
          if (!message.requireText("type").equals("start")) {
            throw refusal(message);
          }
          yield new RunningCommand(socket, api, message);
        }
        case WebSocket.Message.Binary _ ->
            throw new JsonShapeException("output came before the start");
        case WebSocket.Message.Closed(int code, String reason) ->
            throw new IOException("it hung up with code " + code + " " + reason);
      };
    } catch (IOException e) {
      socket.close();
      throw api.unreachable(e);
    } catch (JsonShapeException e) {
      socket.close();
      throw api.garbled(e);
    } catch (CoveApiException e) {
      socket.close();
      throw e;
    }
  }

  private static JsonObject parse(String text) {
    return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
  }

  private static CoveApiException refusal(JsonObject message) {
    int status = (int) (long) message.findLong("status").orElse(500L);
    return Api.problem(status, message);
  }

  /** The server's number for it, which {@link Sandbox#attach} takes. */
  public long processId() {
    return processId;
  }

  /** Its number inside the sandbox. */
  public long pid() {
    return pid;
  }

  /** Closing it tells the command that its input has ended. */
  public OutputStream stdin() {
    return stdin;
  }

  public InputStream stdout() {
    receiveInBackground();
    return stdout;
  }

  public InputStream stderr() {
    receiveInBackground();
    return stderr;
  }

  /** Tells the command's terminal its new size. */
  public void resize(int rows, int cols) {
    tell(JsonObject.builder().put("type", "resize").put("rows", rows).put("cols", cols).build());
  }

  /** Sends a signal, such as {@code INT}, to the command and all that it started. */
  public void signal(String name) {
    tell(JsonObject.builder().put("type", "signal").put("signal", name).build());
  }

  /** Writes the output to these two until the command ends. */
  public ExitStatus copyTo(OutputStream out, OutputStream err) throws IOException {
    if (!receiving.compareAndSet(false, true)) {
      throw new IllegalStateException("The output is already being taken by stdout() or stderr()");
    }
    receive((stream, bytes, offset, length) -> {
      OutputStream target = stream == STDOUT ? out : err;
      target.write(bytes, offset, length);
      target.flush();
    });
    return waitFor();
  }

  /** Waits for the end. Output must be read meanwhile, or a talkative command never ends. */
  public ExitStatus waitFor() {
    receiveInBackground();
    try {
      return exit.get();
    } catch (ExecutionException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Waits at most so long; empty when the command still runs. */
  public Optional<ExitStatus> waitFor(Duration timeout) {
    receiveInBackground();
    try {
      return Optional.of(exit.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private RuntimeException failure(ExecutionException wrapper) {
    return switch (wrapper.getCause()) {
      case CoveApiException e -> new CoveApiException(e.status(), e.code(), e.detail());
      case IOException e -> api.unreachable(e);
      case JsonShapeException e -> api.garbled(e);
      case null, default -> new IllegalStateException(wrapper);
    };
  }

  private static CoveConnectionException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new CoveConnectionException("Interrupted while waiting for a command", e);
  }

  private void receiveInBackground() {
    if (receiving.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("cove-command-" + processId)
          .start(() -> {
            try {
              receive((stream, bytes, offset, length) ->
                  (stream == STDOUT ? stdout : stderr).write(bytes, offset, length));
            } catch (IOException e) {
              // Readers and waiters were told.
            }
          });
    }
  }

  private void receive(Sink sink) throws IOException {
    try {
      while (!exit.isDone()) {
        take(socket.receive(), sink);
      }
      stdout.end();
      stderr.end();
    } catch (IOException e) {
      fail(e, closed ? new IOException("The command's connection was closed", e) : e);
      throw e;
    } catch (JsonShapeException | CoveApiException e) {
      fail(e, new IOException(e.getMessage(), e));
    } catch (InterruptedException e) {
      fail(e, new IOException("Interrupted", e));
    } finally {
      socket.close();
    }
  }

  private void take(WebSocket.Message message, Sink sink) throws IOException, InterruptedException {
    switch (message) {
      case WebSocket.Message.Binary(byte[] bytes) -> {
        if (bytes.length == 0 || (bytes[0] != STDOUT && bytes[0] != STDERR)) {
          throw new JsonShapeException("output came on a stream that does not exist");
        }
        sink.accept(bytes[0], bytes, 1, bytes.length - 1);
      }
      case WebSocket.Message.Text(String text) -> {
        JsonObject json = parse(text);
        switch (json.requireText("type")) {
          case "exit" -> exit.complete(ExitStatus.of(json));
          case "error" -> throw refusal(json);
          default -> {
            // A later server may have more to say than we understand.
          }
        }
      }
      case WebSocket.Message.Closed(int code, String reason) ->
          throw new IOException(
              "it hung up before the command ended (code " + code + " " + reason + ")");
    }
  }

  private void fail(Throwable cause, IOException forReaders) {
    exit.completeExceptionally(cause);
    stdout.fail(forReaders);
    stderr.fail(forReaders);
  }

  private void tell(JsonObject message) {
    try {
      socket.sendText(Json.writeText(message));
    } catch (IOException e) {
      if (!exit.isDone()) {
        throw api.unreachable(e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    socket.close();
    stdout.end();
    stderr.end();
  }

  private final class Stdin extends OutputStream {
    private boolean ended;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int sent = 0; sent < length; sent += STDIN_MESSAGE) {
        socket.sendBinary(bytes, offset + sent, Math.min(STDIN_MESSAGE, length - sent));
      }
    }

    @Override
    public void close() {
      if (!ended) {
        ended = true;
        tell(JsonObject.builder().put("type", "stdin-end").build());
      }
    }
  }
}
