package dev.cove.control.webhook;

import dev.cove.control.event.Event;
import dev.cove.control.event.EventFilter;
import dev.cove.control.event.EventPage;
import dev.cove.control.event.EventPage.Gap;
import dev.cove.control.event.Events;
import dev.cove.control.ledger.Micros;
import dev.cove.model.CoveException;
import dev.cove.model.crash.FailPoint;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one webhook of events, one after the other: the next only when the one before was taken or
 * has become a dead letter. Whoever changes the webhook closes its courier and begins another.
 */
final class Courier implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Courier.class);
  private static final int PAGE = 100;

  /** A crash costs at most a look at so many events that the webhook does not want. */
  private static final int UNTOLD = 1_000;

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
  private static final Duration AFTER_FAULT = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Webhook webhook;
  private final String secret;
  private final Events events;
  private final WebhookLedger rows;
  private final Messenger messenger;
  private final WebhookLimits limits;
  private final Clock clock;
  private final Thread thread;
  private volatile boolean closed;
  private long noted;
  private int failures;
  private String error;

  Courier(
      Webhook webhook,
      String secret,
      Events events,
      WebhookLedger rows,
      Messenger messenger,
      WebhookLimits limits,
      Clock clock) {
    this.webhook = webhook;
    this.secret = secret;
    this.events = events;
    this.rows = rows;
    this.messenger = messenger;
    this.limits = limits;
    this.clock = clock;
    this.noted = webhook.delivered();
    this.failures = webhook.failures();
    this.error = webhook.error().orElse("");
    this.thread = Thread.ofVirtual().name("webhook-" + webhook.id()).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    long at = webhook.delivered();
    while (!closed) {
      try {
        at = deliverAfter(at);
      } catch (CoveException e) {
        // The ledger does not answer: nothing is lost, it is all still to be told.
        log.warn("webhook {} waits: {}", webhook.id(), e.getMessage());
        if (!pause(AFTER_FAULT)) {
          return;
        }
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  /**
   * @return where to go on
   */
  private long deliverAfter(long after) throws InterruptedException {
    EventPage page =
        webhook
            .scope()
            .call(
                () -> events.page(new EventFilter(Optional.empty(), webhook.types()), after, PAGE));
    if (page.gap().isPresent()) {
      deliver(dropped(page.gap().get()));
    }
    for (Event event : page.items()) {
      deliver(event);
    }
    if (page.items().isEmpty() && page.next() - noted > UNTOLD) {
      rows.delivered(webhook.id(), page.next());
      noted = page.next();
    }
    if (!page.more()) {
      events.awaitAfter(page.next(), LONGEST_WAIT);
    }
    return page.next();
  }

  /** Told in the place of those that were dropped before they could be told. */
  private Event dropped(Gap gap) {
    return new Event(
        gap.from() - 1,
        Micros.now(clock),
        "events.dropped",
        Optional.empty(),
        "{\"after\":%d,\"from\":%d}".formatted(gap.after(), gap.from()),
        webhook.scope().project());
  }

  private void deliver(Event event) throws InterruptedException {
    while (!closed) {
      if (failures > 0 && isGivenUp(event)) {
        rows.bury(
            webhook.id(), new DeadLetter(event, Micros.now(clock), error), limits.deadLetters());
        log.info("webhook {}: event {} is a dead letter", webhook.id(), event.id());
        return;
      }
      Attempt attempt = messenger.tell(webhook.url(), webhook.id(), secret, event);
      if (attempt.taken()) {
        FailPoint.WEBHOOK_TOLD.reached();
        rows.delivered(webhook.id(), event.id());
        failures = 0;
        return;
      }
      failures++;
      error = attempt.outcome();
      log.info("webhook {} failed {} times: {}", webhook.id(), failures, error);
      rows.failed(webhook.id(), failures, error);
      if (!isGivenUp(event)) {
        Thread.sleep(limits.pauseAfter(failures));
      }
    }
  }

  private boolean isGivenUp(Event event) {
    return Duration.between(event.at(), clock.instant()).compareTo(limits.giveUpAfter()) >= 0;
  }

  private static boolean pause(Duration time) {
    try {
      Thread.sleep(time);
      return true;
    } catch (InterruptedException _) {
      return false;
    }
  }

  /** Nothing is sent from here on. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      if (thread.isAlive() && !thread.join(PATIENCE)) {
        log.warn("the courier of webhook {} does not end", webhook.id());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
