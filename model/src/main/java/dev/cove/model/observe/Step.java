package dev.cove.model.observe;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Something that takes time, and that is a span where a trace is under way. */
@SuppressWarnings("ImmutableEnumChecker") // counts of this process, which only grow
public enum Step {
  CREATE,
  /** A place on the machine. */
  RESERVE,
  /** The row of a new sandbox, until it may be relied on. */
  RECORD,
  START_CAGE,
  GREET_AGENT,
  PAUSE,
  RESUME,
  STOP,
  START,
  DELETE,
  CHECKPOINT,
  RESTORE,
  /** Until a command runs. */
  EXEC,
  BUILD,
  /** One transaction of the ledger, whoever has a part in it. */
  COMMIT;

  private final Durations durations = new Durations();
  private final LongAdder failures = new LongAdder();

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public Durations durations() {
    return durations;
  }

  public long failures() {
    return failures.sum();
  }

  public <T> T run(Supplier<T> work) {
    long start = System.nanoTime();
    boolean done = false;
    try {
      T result = Span.within(publicName(), work);
      done = true;
      return result;
    } finally {
      durations.add(System.nanoTime() - start);
      if (!done) {
        failures.increment();
      }
    }
  }

  public void run(Runnable work) {
    run(() -> {
      work.run();
      return true;
    });
  }
}
