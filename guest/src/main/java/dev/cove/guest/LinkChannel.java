package dev.cove.guest;

import dev.cove.model.CoveException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One operation on the link.
 *
 * <p>The link's reader brings frames in and never waits here; callers wait on the monitor. The
 * channel is over when the agent's CLOSE or FAIL came, or the link broke. A caller that has let go
 * leaves it behind, and what still arrives is dropped.
 */
final class LinkChannel {
  private static final int REPLIES_MAX = 2;
  private static final int MESSAGE_MAX = 1000;

  private final GuestLink link;
  private final int id;
  private final Op op;
  private final FlowInput out = new FlowInput(this, Frame.STREAM_OUT);
  private final FlowInput err = new FlowInput(this, Frame.STREAM_ERR);
  private final FlowOutput in = new FlowOutput(this);
  private final CompletableFuture<CommandExit> exit = new CompletableFuture<>();
  private final ArrayDeque<byte[]> replies = new ArrayDeque<>(1);
  private @Nullable CoveException failure;
  private boolean over;
  private boolean released;
  private boolean exitKnown;
  private boolean exitCame;
  private boolean closesWithStream;

  LinkChannel(GuestLink link, int id, Op op) {
    this.link = link;
    this.id = id;
    this.op = op;
  }

  GuestLink link() {
    return link;
  }

  int id() {
    return id;
  }

  Op op() {
    return op;
  }

  FlowInput out() {
    return out;
  }

  FlowInput err() {
    return err;
  }

  FlowOutput in() {
    return in;
  }

  CompletableFuture<CommandExit> exit() {
    return exit;
  }

  /** Closing the stream of this channel then is all it takes to give it up. */
  synchronized void closeWithStream() {
    closesWithStream = true;
  }

  PayloadReader awaitReply() {
    return awaitReply(op.patience);
  }

  PayloadReader awaitReply(Duration patience) {
    synchronized (this) {
      awaitUntil(() -> !replies.isEmpty(), patience);
      byte[] reply = replies.poll();
      if (reply == null) {
        throw new GuestLinkException("The agent closed an operation without an answer");
      }
      return new PayloadReader(reply);
    }
  }

  /** Waits for the end of an operation that has no other answer than that it worked. */
  synchronized void awaitOver() {
    awaitUntil(() -> false, op.patience);
  }

  private interface Condition {
    boolean holds();
  }

  private void awaitUntil(Condition condition, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.holds() && !over) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        release();
        throw new GuestLinkException(
            "The agent did not answer %s within %d s".formatted(op, patience.toSeconds()));
      }
      try {
        wait(lookAgainAfter(left / 1_000_000 + 1, true));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        release();
        throw new GuestLinkException("Interrupted while waiting for the agent", e);
      }
    }
    if (failure != null && !condition.holds()) {
      throw copyOf(failure);
    }
  }

  /**
   * How long to wait for what the agent says next. One that stands still and owes something is
   * asked to go on, and asked again.
   *
   * @param millis how long at most; 0 has no end
   */
  long lookAgainAfter(long millis, boolean owed) {
    return owed && link.want() ? GuestLink.LOOK_MILLIS : millis;
  }

  /** The agent is about to stand still: who waits for it may want something. */
  synchronized void agentRests() {
    notifyAll();
  }

  /** The failure belongs to many callers; each gets its own, with its own stack. */
  private static CoveException copyOf(CoveException failure) {
    if (failure instanceof GuestException guest) {
      GuestException copy =
          new GuestException(guest.code(), guest.errno(), String.valueOf(guest.getMessage()));
      copy.initCause(guest);
      return copy;
    }
    return new GuestLinkException(String.valueOf(failure.getMessage()), failure);
  }

  synchronized boolean isBroken() {
    return failure != null;
  }

  synchronized boolean isOver() {
    return over;
  }

  /**
   * For callers of whole operations, who see why the operation failed and not that a stream did.
   */
  synchronized CoveException failureOr(IOException e) {
    return failure == null
        ? new GuestLinkException(String.valueOf(e.getMessage()), e)
        : copyOf(failure);
  }

  synchronized IOException brokenAsIo() {
    return failure == null
        ? new IOException("The operation is over")
        : new IOException(failure.getMessage(), failure);
  }

  /** Gives the operation up. The agent stops it and says so with its own CLOSE. */
  void release() {
    synchronized (this) {
      if (released) {
        return;
      }
      released = true;
      if (!over) {
        link.writer().sendNow(Frame.CLOSE, id, new byte[0]);
      }
      if (failure == null) {
        failure = new GuestLinkException("The operation was closed here");
      }
      notifyAll();
    }
    failExit();
  }

  void streamClosed() {
    boolean all;
    synchronized (this) {
      all = closesWithStream;
    }
    if (all) {
      release();
    }
  }

  void sendCredit(byte stream, int bytes) {
    if (!over && !released) {
      link.writer().sendNow(Frame.CREDIT, id, new Payload().u8(stream).u32(bytes).toBytes());
    }
  }

  void sendData(byte[] bytes, int offset, int length) throws InterruptedException {
    link.carry();
    link.writer().sendData(id, Frame.STREAM_IN, bytes, offset, length);
  }

  void sendEnd() {
    send(Frame.END, new Payload().u8(Frame.STREAM_IN));
  }

  void send(byte type, Payload payload) {
    synchronized (this) {
      if (!over && !released) {
        link.writer().sendNow(type, id, payload.toBytes());
      }
    }
  }

  // What the link's reader brings.

  /** Returns true when this was the last frame of the channel. */
  boolean onFrame(byte type, byte[] payload) throws BrokenFrameException {
    synchronized (this) {
      switch (type) {
        case Frame.REPLY -> onReply(payload);
        case Frame.DATA -> onData(payload);
        case Frame.END -> onEnd(payload);
        case Frame.CREDIT -> onCredit(payload);
        case Frame.EXIT -> onExit(payload);
        case Frame.FAIL -> onFail(payload);
        case Frame.CLOSE -> over = true;
        default -> throw new BrokenFrameException("a frame has the unknown type " + type);
      }
      notifyAll();
    }
    if (over) {
      failExit();
    }
    return over;
  }

  void onLinkLost(GuestLinkException why) {
    synchronized (this) {
      if (failure == null) {
        failure = why;
      }
      over = true;
      notifyAll();
    }
    failExit();
  }

  private void onReply(byte[] payload) throws BrokenFrameException {
    if (replies.size() >= REPLIES_MAX) {
      throw new BrokenFrameException("an operation was answered too often");
    }
    if (!released) {
      replies.add(payload);
    }
  }

  private void onData(byte[] payload) throws BrokenFrameException {
    FlowInput stream = stream(payload);
    link.carry();
    if (!released) {
      stream.onData(payload);
    }
  }

  private void onEnd(byte[] payload) throws BrokenFrameException {
    if (payload.length == 1 && payload[0] == Frame.STREAM_IN) {
      in.onReaderGone();
    } else {
      FlowInput stream = stream(payload);
      if (payload.length != 1) {
        throw new BrokenFrameException("an END has a payload");
      }
      stream.onEnd();
    }
  }

  private FlowInput stream(byte[] payload) throws BrokenFrameException {
    int stream = payload.length == 0 ? -1 : payload[0];
    if (stream == Frame.STREAM_OUT) {
      return out;
    }
    if (stream == Frame.STREAM_ERR) {
      return err;
    }
    throw new BrokenFrameException("a frame names the unknown stream " + stream);
  }

  private void onCredit(byte[] payload) throws BrokenFrameException {
    PayloadReader reader = new PayloadReader(payload);
    int stream = reader.u8();
    int bytes = reader.i32();
    reader.requireEnd();
    if (stream != Frame.STREAM_IN) {
      throw new BrokenFrameException("credit came for the unknown stream " + stream);
    }
    in.onCredit(bytes);
  }

  private void onExit(byte[] payload) throws BrokenFrameException {
    PayloadReader reader = new PayloadReader(payload);
    int code = reader.i32();
    int signal = reader.i32();
    boolean timedOut = (reader.u8() & 1) != 0;
    long nanos = reader.count();
    reader.requireEnd();
    if (exitCame || !op.hasExit()) {
      throw new BrokenFrameException("an exit came twice or for no command");
    }
    exitCame = true;
    if (exitKnown) {
      return; // it was on its way when the command was closed here
    }
    exitKnown = true;
    CommandExit value = new CommandExit(code, signal, timedOut, Duration.ofNanos(nanos));
    // Not on this thread: what callers hung on the future might wait for the link's reader.
    Thread.startVirtualThread(() -> exit.complete(value));
  }

  private void onFail(byte[] payload) throws BrokenFrameException {
    PayloadReader reader = new PayloadReader(payload);
    int errno = reader.i32();
    String message = printable(reader.text());
    reader.requireEnd();
    if (failure == null) {
      failure = new GuestException(Errno.code(op, errno), errno, Errno.message(errno, message));
    }
    over = true;
  }

  /** The text comes from the sandbox and may end in a terminal or a log. */
  private static String printable(String text) {
    String cut = text.length() > MESSAGE_MAX ? text.substring(0, MESSAGE_MAX) : text;
    return cut.replaceAll("\\p{Cntrl}", "?");
  }

  private void failExit() {
    CoveException why;
    synchronized (this) {
      if (exitKnown || !op.hasExit()) {
        return;
      }
      exitKnown = true;
      why = failure == null ? new GuestLinkException("The command's exit was not told") : failure;
    }
    Thread.startVirtualThread(() -> exit.completeExceptionally(why));
  }
}
