package dev.cove.model.observe;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A piece of work within a trace, in the terms of OpenTelemetry and of the W3C's trace context.
 *
 * <p>Nothing is one while nobody has asked for spans with {@link #exportTo}; all that it then costs
 * is a look at an empty reference.
 */
public final class Span {
  private static final ScopedValue<Span> CURRENT = ScopedValue.newInstance();
  private static final AtomicReference<Optional<Consumer<Ended>>> SINK =
      new AtomicReference<>(Optional.empty());
  private static final Pattern PARENT =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Consumer<Ended> sink;
  private final String trace;
  private final String id;
  private final String parent;
  private final boolean serving;
  private final Instant begun = Instant.now();
  private final long begunNanos = System.nanoTime();
  private final Map<String, String> attributes = new ConcurrentHashMap<>();
  private volatile String name;
  private volatile boolean failed;

  /**
   * A span that is over.
   *
   * @param parent empty for the first of its trace
   * @param serving whether it is the answer to a request
   */
  public record Ended(
      String trace,
      String id,
      String parent,
      String name,
      boolean serving,
      Instant begun,
      long nanos,
      boolean failed,
      Map<String, String> attributes) {}

  private Span(Consumer<Ended> sink, String trace, String parent, String name, boolean serving) {
    this.sink = sink;
    this.trace = trace;
    this.id = random(8);
    this.parent = parent;
    this.name = name;
    this.serving = serving;
  }

  /** From now on spans are given to this, which must not wait; empty for none. */
  public static void exportTo(Optional<Consumer<Ended>> sink) {
    SINK.set(sink);
  }

  /**
   * The span of a request; empty when nobody wants spans, or the caller wants none of this one.
   *
   * @param traceparent what the caller says, in whatever shape; a malformed one begins a new trace
   */
  public static Optional<Span> ofRequest(Optional<String> traceparent) {
    Optional<Consumer<Ended>> sink = SINK.get();
    if (sink.isEmpty()) {
      return Optional.empty();
    }
    Matcher given = PARENT.matcher(traceparent.filter(text -> text.length() <= 512).orElse(""));
    boolean usable =
        given.matches()
            && !given.group(1).equals("ff")
            && (given.group(5) == null || !given.group(1).equals("00"))
            && !given.group(2).matches("0+")
            && !given.group(3).matches("0+");
    if (!usable) {
      return Optional.of(new Span(sink.get(), random(16), "", "request", true));
    }
    boolean sampled = (Integer.parseInt(given.group(4), 16) & 1) != 0;
    return sampled
        ? Optional.of(new Span(sink.get(), given.group(2), given.group(3), "request", true))
        : Optional.empty();
  }

  /** Does something as part of the span that is under way here, if one is. */
  static <T> T within(String name, Supplier<T> work) {
    if (!CURRENT.isBound()) {
      return work.get();
    }
    Span around = CURRENT.get();
    return new Span(around.sink, around.trace, around.id, name, false).call(work);
  }

  /** Does something as this span, which ends with it. */
  public <T> T call(Supplier<T> work) {
    boolean done = false;
    try {
      T result = ScopedValue.where(CURRENT, this).call(work::get);
      done = true;
      return result;
    } finally {
      failed |= !done;
      sink.accept(
          new Ended(
              trace,
              id,
              parent,
              name,
              serving,
              begun,
              System.nanoTime() - begunNanos,
              failed,
              Map.copyOf(attributes)));
    }
  }

  /** Says how a request was answered. */
  public void answered(String route, int status) {
    name = route;
    attributes.put("http.route", route);
    attributes.put("http.response.status_code", Integer.toString(status));
    failed |= status >= 500;
  }

  /** The trace that is under way here, as people look it up. */
  public static Optional<String> currentTrace() {
    return CURRENT.isBound() ? Optional.of(CURRENT.get().trace) : Optional.empty();
  }

  /** The same for the end of a line of a log; nothing where there is none. */
  public static String mark() {
    return currentTrace().map(trace -> ", trace " + trace).orElse("");
  }

  private static String random(int bytes) {
    byte[] drawn = new byte[bytes];
    RANDOM.nextBytes(drawn);
    return HexFormat.of().formatHex(drawn);
  }
}
