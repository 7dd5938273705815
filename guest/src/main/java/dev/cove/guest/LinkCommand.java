package dev.cove.guest;

import dev.cove.guest.CommandSpec.TerminalSize;
import dev.cove.model.ErrorCode;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/** A command over the link. */
final class LinkCommand implements Command {
  private final LinkChannel channel;
  private final long processId;
  private final int pid;
  private final long droppedOutput;
  private final long droppedErrors;

  private LinkCommand(LinkChannel channel, PayloadReader reply) throws BrokenFrameException {
    this.channel = channel;
    processId = reply.i64();
    pid = reply.i32();
    reply.u8();
    droppedOutput = reply.count();
    droppedErrors = reply.count();
    reply.requireEnd();
  }

  static LinkCommand await(LinkChannel channel) {
    PayloadReader reply = channel.awaitReply();
    return Records.parsed(channel.link(), () -> new LinkCommand(channel, reply));
  }

  static void requireSignal(int signal) {
    if (signal < 1 || signal > 64) {
      throw new GuestException(
          ErrorCode.INVALID_REQUEST, Errno.EINVAL, "A signal is between 1 and 64, not " + signal);
    }
  }

  @Override
  public long processId() {
    return processId;
  }

  @Override
  public int pid() {
    return pid;
  }

  @Override
  public long droppedOutput() {
    return droppedOutput;
  }

  @Override
  public long droppedErrors() {
    return droppedErrors;
  }

  @Override
  public OutputStream stdin() {
    return channel.in();
  }

  @Override
  public InputStream stdout() {
    return channel.out();
  }

  @Override
  public InputStream stderr() {
    return channel.err();
  }

  @Override
  public void signal(int signal) {
    requireSignal(signal);
    channel.send(Frame.SIGNAL, new Payload().u32(signal).u8(1));
  }

  @Override
  public void resize(TerminalSize size) {
    channel.send(Frame.RESIZE, new Payload().u16(size.rows()).u16(size.cols()));
  }

  @Override
  public CompletableFuture<CommandExit> exit() {
    return channel.exit().copy();
  }

  @Override
  public void close() {
    channel.release();
  }
}
