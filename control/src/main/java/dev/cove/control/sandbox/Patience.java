package dev.cove.control.sandbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * How long a caller waits for a place on a machine that is full. Bound around each request by
 * whoever can tell that its caller has left; work without one does not wait.
 *
 * @param asked for how long; as long as the server lets it when nothing is said
 * @param watch is told what to do when the caller leaves
 */
public record Patience(Optional<Duration> asked, Function<Runnable, Watch> watch) {
  private static final ScopedValue<Patience> CURRENT = ScopedValue.newInstance();
  private static final Patience NONE = unwatched(Optional.of(Duration.ZERO));

  /** Somebody looks whether a caller is still there, until this is closed. */
  @FunctionalInterface
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /** That of a caller whose leaving ends the waiting thread, or is not noticed. */
  public static Patience unwatched(Optional<Duration> asked) {
    return new Patience(asked, _ -> () -> {});
  }

  static Patience current() {
    return CURRENT.orElse(NONE);
  }

  Duration within(Duration longest) {
    return asked.filter(wanted -> wanted.compareTo(longest) < 0).orElse(longest);
  }

  public <T, X extends Throwable> T call(ScopedValue.CallableOp<? extends T, X> work) throws X {
    return ScopedValue.where(CURRENT, this).call(work);
  }

  /** The same work, whichever thread does it. */
  <T> Callable<T> around(Callable<T> work) {
    return () -> call(work::call);
  }

  /** That of one caller in many threads: he is watched once, and all hear of his leaving. */
  static final class Common implements AutoCloseable {
    private final Patience patience;
    private final Watch watch;

    // Guarded by this.
    private final List<Runnable> leaving = new ArrayList<>();
    private boolean left;

    Common(Patience of) {
      patience = new Patience(of.asked(), this::whenLeft);
      watch = of.watch().apply(this::leave);
    }

    Patience patience() {
      return patience;
    }

    private Watch whenLeft(Runnable reaction) {
      synchronized (this) {
        if (!left) {
          leaving.add(reaction);
          return () -> forget(reaction);
        }
      }
      reaction.run();
      return () -> {};
    }

    private synchronized void forget(Runnable reaction) {
      leaving.remove(reaction);
    }

    private void leave() {
      List<Runnable> reactions;
      synchronized (this) {
        left = true;
        reactions = List.copyOf(leaving);
      }
      reactions.forEach(Runnable::run);
    }

    @Override
    public void close() {
      watch.close();
    }
  }
}
