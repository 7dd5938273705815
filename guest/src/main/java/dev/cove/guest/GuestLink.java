package dev.cove.guest;

import dev.cove.guest.FrameReader.Incoming;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of the link, over a connected socket.
 *
 * <p>Two virtual threads per link: one reads frames and hands them to their channels without ever
 * waiting for a caller, one writes what callers queued. Anything the protocol forbids ends the
 * link, and with it every call on it; the commands inside run on and can be attached to again.
 */
public final class GuestLink implements Guest, AutoCloseable {
  /** Below the agent's own bound, so that it is met here. */
  private static final int CHANNELS_MAX = 4000;

  /** How often who waits for an agent that stands still looks again. */
  static final long LOOK_MILLIS = 1_000;

  /** Who asks again and again is slowed down by this, and not we. */
  private static final Duration REFUSAL_DELAY = Duration.ofMillis(200);

  private static final int ANSWER_MAX = 1_000;
  private static final String BUILD = "cove 0.1.0";

  private final ByteChannel socket;
  private final InsideRequests inside;
  private final LinkWriter writer = new LinkWriter();
  private final AtomicBoolean asked = new AtomicBoolean();
  private final Map<Integer, LinkChannel> channels = new ConcurrentHashMap<>(4);
  private final AtomicInteger lastChannel = new AtomicInteger();
  private final LongAdder carried = new LongAdder();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Object gate = new Object();
  private boolean held;

  /** While the agent stands still; to be told when somebody wants it. Written under the gate. */
  private volatile @Nullable Runnable resting;

  private boolean told;

  private final CompletableFuture<Hello> hello = new CompletableFuture<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private volatile GuestLinkException why = new GuestLinkException("The link was closed here");

  private record Hello(int version, String build) {}

  private GuestLink(ByteChannel socket, InsideRequests inside) {
    this.socket = socket;
    this.inside = inside;
  }

  /**
   * Takes the socket over and greets the agent.
   *
   * @param inside hears what is asked from inside the sandbox
   * @throws GuestLinkException no agent answered in time, or none that we understand; the socket is
   *     then closed
   */
  public static GuestLink open(ByteChannel socket, Duration helloTimeout, InsideRequests inside) {
    GuestLink link = new GuestLink(socket, inside);
    link.writer.sendNow(
        Frame.HELLO,
        0,
        new Payload()
            .u32(Frame.MAGIC)
            .u16(Frame.VERSION)
            .u16(Frame.MIN_VERSION)
            .text(BUILD)
            .toBytes());
    Thread.ofVirtual().name("guest-link-write").start(link::write);
    Thread.ofVirtual().name("guest-link-read").start(link::read);
    try {
      link.hello.get(helloTimeout.toNanos(), TimeUnit.NANOSECONDS);
      return link;
    } catch (TimeoutException e) {
      throw link.failedToOpen(
          new GuestLinkException(
              "The agent did not greet within %d ms".formatted(helloTimeout.toMillis())));
    } catch (ExecutionException e) {
      throw link.failedToOpen(link.why);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw link.failedToOpen(new GuestLinkException("Interrupted while greeting the agent", e));
    }
  }

  /** Takes the socket over for callers alone: whatever is asked from inside is refused. */
  public static GuestLink open(ByteChannel socket, Duration helloTimeout) {
    return open(socket, helloTimeout, InsideRequests.NONE);
  }

  private GuestLinkException failedToOpen(GuestLinkException reason) {
    end(reason);
    return reason;
  }

  /** What the agent calls itself. */
  public String agentBuild() {
    return hello.join().build();
  }

  @Override
  public Command start(CommandSpec spec) {
    int flags =
        (spec.stdin() ? 1 : 0) | (spec.terminal().isPresent() ? 2 : 0) | (spec.keep() ? 4 : 0);
    long millis = spec.timeout().isZero() ? 0 : Math.max(1, spec.timeout().toMillis());
    List<String> env = new ArrayList<>();
    spec.env().forEach((name, value) -> env.add(variable(name, value)));
    Payload args =
        new Payload()
            .u8(flags)
            .u16(spec.terminal().map(CommandSpec.TerminalSize::rows).orElse(0))
            .u16(spec.terminal().map(CommandSpec.TerminalSize::cols).orElse(0))
            .u64(millis)
            .text(spec.user())
            .text(spec.cwd())
            .texts(spec.argv())
            .texts(env);
    return LinkCommand.await(open(Op.START, args));
  }

  private static String variable(String name, String value) {
    if (name.isEmpty() || name.indexOf('=') >= 0) {
      throw new GuestException(
          ErrorCode.INVALID_REQUEST, Errno.EINVAL, "An environment variable has a wrong name");
    }
    return name + "=" + value;
  }

  @Override
  public Command attach(long processId) {
    return LinkCommand.await(open(Op.ATTACH, new Payload().u64(processId)));
  }

  @Override
  public List<ProcessInfo> processes() {
    LinkChannel channel = open(Op.PROCESSES, new Payload());
    PayloadReader reader = new PayloadReader(Records.collect(channel, 8 * 1024 * 1024));
    return Records.parsed(
        this,
        () -> {
          List<ProcessInfo> processes = new ArrayList<>();
          while (!reader.atEnd()) {
            processes.add(process(reader));
          }
          return List.copyOf(processes.reversed());
        });
  }

  private static ProcessInfo process(PayloadReader reader) throws BrokenFrameException {
    long id = reader.i64();
    int pid = reader.i32();
    int flags = reader.u8();
    Instant startedAt = Instant.ofEpochMilli(reader.i64());
    int code = reader.i32();
    int signal = reader.i32();
    Duration duration = Duration.ofNanos(reader.count());
    String user = reader.text();
    String cwd = reader.text();
    List<String> argv = reader.texts();
    Optional<CommandExit> exit =
        (flags & 2) == 0
            ? Optional.empty()
            : Optional.of(new CommandExit(code, signal, (flags & 4) != 0, duration));
    return new ProcessInfo(id, pid, argv, user, cwd, (flags & 1) != 0, startedAt, exit);
  }

  @Override
  public void signal(long processId, int signal, boolean group) {
    LinkCommand.requireSignal(signal);
    Payload args = new Payload().u64(processId).u32(signal).u8(group ? 1 : 0);
    open(Op.SIGNAL, args).awaitOver();
  }

  @Override
  public void forget(long processId) {
    open(Op.FORGET, new Payload().u64(processId)).awaitOver();
  }

  @Override
  public GuestFiles files(String user) {
    return new LinkFiles(this, user);
  }

  @Override
  public TcpStream connect(int port) {
    if (port < 1 || port > 65535) {
      throw new GuestException(
          ErrorCode.INVALID_REQUEST, Errno.EINVAL, "A port is between 1 and 65535, not " + port);
    }
    LinkChannel channel = open(Op.CONNECT, new Payload().u16(port));
    channel.awaitReply();
    return new LinkTcpStream(channel);
  }

  @Override
  public GuestMetrics metrics() {
    PayloadReader reader = open(Op.METRICS, new Payload()).awaitReply();
    return Records.parsed(
        this,
        () ->
            new GuestMetrics(
                Duration.ofNanos(reader.count()),
                reader.count(),
                reader.count(),
                reader.count(),
                reader.count(),
                reader.count(),
                reader.i32()));
  }

  @Override
  public CompletableFuture<Void> closed() {
    return closed.copy();
  }

  @Override
  public void close() {
    end(new GuestLinkException("The link was closed here"));
  }

  /**
   * Keeps work from the agent until {@link #letGo}, if it has none just now.
   *
   * @return false when it has some; then nothing is held
   */
  public boolean hold() {
    synchronized (gate) {
      if (held || !channels.isEmpty()) {
        return false;
      }
      held = true;
      return true;
    }
  }

  /** How many calls there have been, whatever came of them. */
  public int calls() {
    return lastChannel.get();
  }

  /** How many pieces of what programs read and write have passed, in both directions. */
  public long carried() {
    return carried.sum();
  }

  void carry() {
    carried.increment();
  }

  /**
   * Whether somebody is attached to a command, watches files or waits for an answer. Who has a
   * connection to a port is not: as long as nothing passes over it, it may well have been left.
   */
  public boolean attended() {
    return channels.values().stream().anyMatch(channel -> channel.op() != Op.CONNECT);
  }

  public void letGo() {
    synchronized (gate) {
      held = false;
      gate.notifyAll();
    }
  }

  /**
   * Keeps new work from an agent that is about to stand still, until {@link #rouse}. Programs stand
   * still with it; who waits for an answer has work for it.
   *
   * @param wanted is told, on a thread of its own, when somebody has work for the agent
   */
  public void rest(Runnable wanted) {
    synchronized (gate) {
      resting = wanted;
    }
    channels.values().forEach(LinkChannel::agentRests);
  }

  /** The agent takes work again. */
  public void rouse() {
    synchronized (gate) {
      resting = null;
      told = false;
      gate.notifyAll();
    }
  }

  /**
   * Says that somebody has something for the agent, whether it stands still or not.
   *
   * @return whether it does
   */
  boolean want() {
    if (resting == null) {
      return false;
    }
    synchronized (gate) {
      Runnable wanted = resting;
      if (wanted != null && !told) {
        told = true;
        Thread.ofVirtual().name("guest-link-wake").start(() -> tell(wanted));
      }
      return wanted != null;
    }
  }

  /** Where this was in vain, whoever still waits says so again. */
  private void tell(Runnable wanted) {
    try {
      wanted.run();
    } finally {
      synchronized (gate) {
        told = false;
      }
    }
  }

  private void awaitGate() {
    synchronized (gate) {
      try {
        while ((held || resting != null) && !ended.get()) {
          want();
          gate.wait(LOOK_MILLIS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new GuestLinkException("Interrupted while asking the agent", e);
      }
    }
  }

  LinkWriter writer() {
    return writer;
  }

  /** Opens a channel; arguments that are too long for one frame follow in more. */
  LinkChannel open(Op op, Payload payload) {
    if (Thread.currentThread().isInterrupted()) {
      throw new GuestLinkException("Interrupted before asking the agent");
    }
    if (channels.size() >= CHANNELS_MAX) {
      throw new GuestException(
          ErrorCode.TOO_MANY_REQUESTS, Errno.EAGAIN, "Too many operations on one sandbox at once");
    }
    LinkChannel channel = register(op);
    byte[] args = payload.toBytes();
    int at = Math.min(args.length, Frame.PAYLOAD_MAX - 9);
    int id = channel.id();
    try {
      Payload first = new Payload().u8(op.code).u32(FlowInput.WINDOW).u32(args.length);
      writer.send(Frame.OPEN, id, first.raw(args, 0, at).toBytes());
      while (at < args.length) {
        int next = Math.min(args.length, at + Frame.PAYLOAD_MAX);
        writer.send(Frame.ARGS, id, new Payload().raw(args, at, next).toBytes());
        at = next;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      channel.release();
      throw new GuestLinkException("Interrupted while asking the agent", e);
    }
    return channel;
  }

  private LinkChannel register(Op op) {
    synchronized (gate) {
      awaitGate();
      return registerNow(op);
    }
  }

  private LinkChannel registerNow(Op op) {
    while (true) {
      int id = lastChannel.incrementAndGet();
      LinkChannel channel = new LinkChannel(this, id, op);
      if (id != 0 && channels.putIfAbsent(id, channel) == null) {
        if (ended.get()) { // and perhaps after the others were told
          channel.onLinkLost(why);
          channels.remove(id);
        }
        return channel;
      }
    }
  }

  private void write() {
    try {
      writer.run(socket);
      end(new GuestLinkException("The agent does not read what it is sent"));
    } catch (IOException e) {
      end(new GuestLinkException("The link to the agent broke", e));
    } catch (InterruptedException e) {
      end(new GuestLinkException("The link was interrupted", e));
    }
  }

  private void read() {
    try {
      FrameReader frames = new FrameReader(socket);
      takeHello(frames.next());
      while (true) {
        dispatch(frames.next());
      }
    } catch (BrokenFrameException e) {
      end(new GuestLinkException("The agent broke the protocol: " + e.getMessage(), e));
    } catch (IOException e) {
      end(new GuestLinkException("The link to the agent ended: " + e.getMessage(), e));
    }
  }

  private void takeHello(Incoming frame) throws BrokenFrameException {
    PayloadReader reader = new PayloadReader(frame.payload());
    if (frame.type() != Frame.HELLO || frame.channel() != 0 || reader.i32() != Frame.MAGIC) {
      throw new BrokenFrameException("it did not begin with HELLO");
    }
    int version = reader.u16();
    int minVersion = reader.u16();
    String build = reader.text();
    if (version < Frame.MIN_VERSION || minVersion > Frame.VERSION) {
      throw new BrokenFrameException(
          "it speaks versions %d to %d, we speak %d to %d"
              .formatted(minVersion, version, Frame.MIN_VERSION, Frame.VERSION));
    }
    hello.complete(new Hello(Math.min(version, Frame.VERSION), build));
  }

  private void dispatch(Incoming frame) throws BrokenFrameException {
    if (frame.channel() == 0 && frame.type() == Frame.ASK) {
      takeAsk(new PayloadReader(frame.payload()));
      return;
    }
    LinkChannel channel = channels.get(frame.channel());
    if (channel == null) {
      throw new BrokenFrameException("a frame came on a channel that is not open");
    }
    if (channel.onFrame(frame.type(), frame.payload())) {
      channels.remove(frame.channel());
    }
  }

  private void takeAsk(PayloadReader reader) throws BrokenFrameException {
    if (hello.join().version() < Frame.VERSION_WITH_ASKS) {
      throw new BrokenFrameException("it asked, which its version does not know");
    }
    int number = reader.i32();
    int what = reader.u8();
    String name = reader.text();
    reader.requireEnd();
    if (!asked.compareAndSet(false, true)) {
      throw new BrokenFrameException("it asked again before it had an answer");
    }
    Thread.ofVirtual().name("guest-link-answer").start(() -> answer(number, what, name));
  }

  private void answer(int number, int what, String name) {
    Payload answer = new Payload().u32(number);
    try {
      if (what != Frame.ASK_CHECKPOINT) {
        throw new CoveException(ErrorCode.UNSUPPORTED, "The server does not know this request.");
      }
      String id = inside.checkpoint(name);
      answer.u8(Frame.GRANTED).text(id);
    } catch (CoveException e) {
      answer.u8(Frame.REFUSED).text(shortened(String.valueOf(e.getMessage())));
      if (pausedUntilEnd(REFUSAL_DELAY)) {
        return;
      }
    } finally {
      asked.set(false); // before the answer: what follows it is no second request
    }
    writer.sendNow(Frame.ANSWER, 0, answer.toBytes());
  }

  private static String shortened(String message) {
    return message.length() <= ANSWER_MAX ? message : message.substring(0, ANSWER_MAX);
  }

  /** True when the link ended meanwhile. */
  private boolean pausedUntilEnd(Duration time) {
    try {
      closed.get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Ends the link once; the first reason is the one that callers see. */
  void end(GuestLinkException reason) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    why = reason;
    writer.close();
    try {
      socket.close();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
    hello.completeExceptionally(reason);
    for (LinkChannel channel : List.copyOf(channels.values())) {
      channel.onLinkLost(reason);
    }
    channels.clear();
    Thread.startVirtualThread(() -> closed.complete(null));
  }
}
