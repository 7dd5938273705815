package dev.cove.edge.e2b.rpc;

import dev.cove.edge.e2b.rpc.Rpc.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * What a stream does besides its work: signs of life, and an end when the caller's time is over.
 */
public final class Keepalive {
  private static final Duration USUAL = Duration.ofSeconds(90);
  private static final Duration SHORTEST = Duration.ofMillis(1);

  private final RpcStream stream;
  private final Object event;
  private final Duration interval;
  private final OptionalLong deadline;

  /**
   * @param event what says that the stream lives
   */
  public Keepalive(Call call, RpcStream stream, Object event) {
    this.stream = stream;
    this.event = event;
    OptionalLong asked = call.keepaliveSeconds();
    this.interval =
        asked.isPresent() && asked.getAsLong() > 0 ? Duration.ofSeconds(asked.getAsLong()) : USUAL;
    OptionalLong timeout = call.timeoutMs();
    this.deadline =
        timeout.isPresent() && timeout.getAsLong() > 0
            ? OptionalLong.of(System.nanoTime() + Duration.ofMillis(timeout.getAsLong()).toNanos())
            : OptionalLong.empty();
  }

  /** How long one may wait before {@link #beat} is due. */
  public Duration patience() {
    Duration left = interval.minus(stream.silence());
    if (deadline.isPresent()) {
      Duration end = Duration.ofNanos(deadline.getAsLong() - System.nanoTime());
      left = end.compareTo(left) < 0 ? end : left;
    }
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }

  /**
   * @throws RpcRefusal DEADLINE_EXCEEDED when the caller's time is over
   */
  public void beat() throws IOException {
    if (deadline.isPresent() && System.nanoTime() - deadline.getAsLong() >= 0) {
      throw new RpcRefusal(RpcCode.DEADLINE_EXCEEDED, "the operation timed out");
    }
    if (stream.silence().compareTo(interval) >= 0) {
      stream.send(event);
    }
  }
}
