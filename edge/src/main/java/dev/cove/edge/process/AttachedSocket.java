package dev.cove.edge.process;

import dev.cove.edge.exec.ExitBody;
import dev.cove.edge.exec.OomWatch;
import dev.cove.edge.exec.OutputReader;
import dev.cove.edge.exec.RunningCommand;
import dev.cove.edge.http.ClientGoneException;
import dev.cove.edge.http.Socket;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A WebSocket and a command, joined. One thread carries each output stream, one the input, and one
 * waits for the end; whichever ends first ends the others.
 */
final class AttachedSocket {
  private static final Logger LOG = LoggerFactory.getLogger(AttachedSocket.class);
  private static final byte STDOUT = 1;
  private static final byte STDERR = 2;

  private final Socket socket;
  private final Command command;
  private final OomWatch oom;
  private final RunningCommand running;

  AttachedSocket(Socket socket, Command command, OomWatch oom) {
    this.socket = socket;
    this.command = command;
    this.oom = oom;
    this.running =
        new RunningCommand(command, new FrameSink(socket, STDOUT), new FrameSink(socket, STDERR));
  }

  void run() throws IOException, InterruptedException {
    socket.sendJson(new StartedMessage("start", command.processId(), command.pid()));
    var _ = socket.closed().thenRun(running::clientGone);
    running.start();
    Thread.ofVirtual().name("socket-input").start(this::listen);
    CommandExit exit = running.await();
    running.awaitOutput();
    socket.sendJson(ExitMessage.of(ExitBody.of(exit, oom.killed(exit))));
  }

  private void listen() {
    try {
      hear();
    } catch (IOException e) {
      LOG.debug("A command did not read all of its input", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      running.fail(e);
    }
  }

  private void hear() throws IOException, InterruptedException {
    OutputStream stdin = command.stdin();
    boolean open = true;
    while (true) {
      switch (socket.receive()) {
        case Socket.Message.End _ -> {
          return;
        }
        case Socket.Message.Binary binary -> {
          open = open && write(stdin, binary.bytes());
        }
        case Socket.Message.Text text -> {
          switch (ClientMessage.parse(text.text())) {
            case ClientMessage.StdinEnd _ -> {
              open = false;
              stdin.close();
            }
            case ClientMessage.Resize resize -> command.resize(resize.size());
            case ClientMessage.Signal signal -> command.signal(signal.number());
          }
        }
      }
    }
  }

  // A command that closed its input goes on; so do we, for the sake of signals and resizes.
  private static boolean write(OutputStream stdin, ByteBuffer bytes) {
    try {
      stdin.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
      stdin.flush();
      return true;
    } catch (IOException e) {
      LOG.debug("A command reads its input no more", e);
      return false;
    }
  }

  record StartedMessage(String type, long processId, int pid) {}

  record ExitMessage(
      String type,
      int exitCode,
      Optional<String> signal,
      boolean timedOut,
      boolean oomKilled,
      long durationMs) {
    static ExitMessage of(ExitBody exit) {
      return new ExitMessage(
          "exit",
          exit.exitCode(),
          exit.signal(),
          exit.timedOut(),
          exit.oomKilled(),
          exit.durationMs());
    }
  }

  /** Output as binary messages, each led by the number of its stream. */
  private static final class FrameSink implements OutputReader.Sink {
    private final Socket socket;
    private final byte[] frame = new byte[1 + OutputReader.PIECE];

    FrameSink(Socket socket, byte stream) {
      this.socket = socket;
      frame[0] = stream;
    }

    @Override
    public void accept(byte[] bytes, int length) throws IOException, InterruptedException {
      System.arraycopy(bytes, 0, frame, 1, length);
      try {
        socket.sendBinary(frame, 1 + length);
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }
  }
}
