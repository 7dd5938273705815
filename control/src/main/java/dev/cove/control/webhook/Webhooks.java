package dev.cove.control.webhook;

import dev.cove.control.event.Event;
import dev.cove.control.event.EventTypes;
import dev.cove.control.event.Events;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Scope;
import dev.cove.control.webhook.WebhookLedger.Stored;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes, changes and ends webhooks, and sees to it that each hears of what it wants at least once
 * and in order. Safe for use by many threads.
 */
public final class Webhooks implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Webhooks.class);
  private static final int MAX_URL = 2_048;
  private static final int MAX_TYPES = 32;
  private static final int MOST_RETRIED = 100;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final WebhookLedger rows;
  private final Events events;
  private final Secrets secrets;
  private final Messenger messenger;
  private final WebhookLimits limits;
  private final Clock clock;
  private final Map<String, Courier> couriers = new HashMap<>();

  /** Held while webhooks are made, changed or ended. */
  private final ReentrantLock changing = new ReentrantLock();

  private Webhooks(
      Ledger ledger,
      Events events,
      Secrets secrets,
      Outlet outlet,
      WebhookLimits limits,
      Clock clock) {
    this.rows = new WebhookLedger(ledger);
    this.events = events;
    this.secrets = secrets;
    this.messenger = new Messenger(outlet, clock);
    this.limits = limits;
    this.clock = clock;
  }

  /**
   * Goes on where the webhooks of the ledger were left.
   *
   * @param keyFile that secrets follow from; made when there is none
   */
  public static Webhooks open(
      Ledger ledger, Events events, Path keyFile, Outlet outlet, WebhookLimits limits, Clock clock)
      throws IOException {
    var webhooks = new Webhooks(ledger, events, Secrets.open(keyFile), outlet, limits, clock);
    webhooks.rows.all().forEach(webhooks::begin);
    return webhooks;
  }

  /** Makes a webhook that hears of what happens from now on. */
  public Made create(String url, List<String> types) {
    URI target = url(url);
    EventTypes wanted = types(types);
    String id = randomId();
    ProjectName here = Scope.here();
    Scope scope =
        Scope.current().operator() && here.isDefault()
            ? Scope.ofOperator(here)
            : Scope.ofTenant(here);
    changing.lock();
    try {
      if (list().size() >= limits.webhooks()) {
        throw new CoveException(
            ErrorCode.CONFLICT,
            "There are %d webhooks, which is the most there may be; remove one first."
                .formatted(limits.webhooks()));
      }
      var webhook =
          new Webhook(
              id,
              scope,
              target,
              wanted,
              true,
              1,
              Micros.now(clock),
              events.newest(),
              0,
              0,
              Optional.empty());
      rows.insert(webhook, secrets.hash(id, 1));
      begin(requireStored(id));
      log.info("webhook {} made", id);
      return new Made(webhook, Optional.of(secrets.of(id, 1)));
    } finally {
      changing.unlock();
    }
  }

  public List<Webhook> list() {
    return rows.all().stream().map(Stored::webhook).filter(Webhooks::concernsCaller).toList();
  }

  public Webhook require(String id) {
    return requireStored(id).webhook();
  }

  public Made change(String id, WebhookChange change) {
    Optional<URI> url = change.url().map(Webhooks::url);
    Optional<EventTypes> types = change.types().map(Webhooks::types);
    changing.lock();
    try {
      Webhook now = requireStored(id).webhook();
      int generation = now.generation() + (change.newSecret() ? 1 : 0);
      Webhook next =
          now.with(
              url.orElse(now.url()),
              types.orElse(now.types()),
              change.enabled().orElse(now.enabled()),
              generation);
      end(id);
      String hash = change.newSecret() ? secrets.hash(id, generation) : requireStored(id).hash();
      rows.update(next, hash);
      return new Made(
          next, change.newSecret() ? Optional.of(secrets.of(id, generation)) : Optional.empty());
    } finally {
      rows.find(id).filter(_ -> !couriers.containsKey(id)).ifPresent(this::begin);
      changing.unlock();
    }
  }

  /** Returns when it will not be told anything any more. */
  public void remove(String id) {
    changing.lock();
    try {
      requireStored(id);
      end(id);
      rows.remove(id);
      log.info("webhook {} removed", id);
    } finally {
      changing.unlock();
    }
  }

  /** Tells it of something that did not happen, now. */
  public Attempt test(String id) {
    Stored stored = requireUsable(id);
    var event =
        new Event(
            0,
            Micros.now(clock),
            "webhook.test",
            Optional.empty(),
            "{}",
            stored.webhook().scope().project());
    return tell(stored.webhook(), event);
  }

  public List<DeadLetter> deadLetters(String id) {
    requireStored(id);
    return rows.dead(id);
  }

  /**
   * Tells it of dead letters again, the oldest first, until one is refused.
   *
   * @param only that one
   */
  public Retried retry(String id, Optional<Long> only) {
    Webhook webhook = requireUsable(id).webhook();
    List<DeadLetter> letters =
        rows.dead(id).stream()
            .filter(letter -> only.isEmpty() || letter.event().id() == only.get())
            .limit(MOST_RETRIED)
            .toList();
    if (only.isPresent() && letters.isEmpty()) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such dead letter.");
    }
    int delivered = 0;
    Optional<String> error = Optional.empty();
    for (DeadLetter letter : letters) {
      Attempt attempt = tell(webhook, letter.event());
      if (!attempt.taken()) {
        error = Optional.of(attempt.outcome());
        rows.failedAgain(id, letter.event().id(), Micros.now(clock), attempt.outcome());
        break;
      }
      rows.revive(id, letter.event().id());
      delivered++;
    }
    return new Retried(delivered, rows.dead(id).size(), error);
  }

  private Attempt tell(Webhook webhook, Event event) {
    try {
      return messenger.tell(
          webhook.url(), webhook.id(), secrets.of(webhook.id(), webhook.generation()), event);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }

  private Stored requireStored(String id) {
    return rows.find(id)
        .filter(stored -> concernsCaller(stored.webhook()))
        .orElseThrow(() -> new CoveException(ErrorCode.NOT_FOUND, "There is no such webhook."));
  }

  private static boolean concernsCaller(Webhook webhook) {
    return Scope.covers(webhook.scope().project())
        && (!webhook.scope().operator() || Scope.current().operator());
  }

  private Stored requireUsable(String id) {
    Stored stored = requireStored(id);
    if (!hasItsSecret(stored)) {
      throw new CoveException(ErrorCode.CONFLICT, LOST);
    }
    return stored;
  }

  private static final String LOST =
      "The key file that its secret followed from is another now; give it a new secret.";

  private boolean hasItsSecret(Stored stored) {
    Webhook webhook = stored.webhook();
    return stored.hash().equals(secrets.hash(webhook.id(), webhook.generation()));
  }

  private void begin(Stored stored) {
    Webhook webhook = stored.webhook();
    if (!webhook.enabled()) {
      return;
    }
    if (!hasItsSecret(stored)) {
      log.warn("webhook {}: {}", webhook.id(), LOST);
      rows.failed(webhook.id(), webhook.failures() + 1, LOST);
      return;
    }
    String secret = secrets.of(webhook.id(), webhook.generation());
    var courier = new Courier(webhook, secret, events, rows, messenger, limits, clock);
    couriers.put(webhook.id(), courier);
    courier.start();
  }

  private void end(String id) {
    Courier courier = couriers.remove(id);
    if (courier != null) {
      courier.close();
    }
  }

  private static EventTypes types(List<String> types) {
    if (types.size() > MAX_TYPES) {
      throw invalid("A webhook names at most %d types of events.".formatted(MAX_TYPES));
    }
    return EventTypes.of(types);
  }

  /** What it leads to is looked at each time when it is dialled, not now. */
  private static URI url(String text) {
    try {
      URI url = new URI(text);
      String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
      boolean http = scheme.equals("http") || scheme.equals("https");
      if (http
          && text.length() <= MAX_URL
          && url.getHost() != null
          && url.getRawUserInfo() == null
          && url.getRawFragment() == null
          && url.getPort() <= 65_535
          && url.getPort() != 0) {
        return url;
      }
    } catch (URISyntaxException _) {
      // said below
    }
    throw invalid(
        "A webhook's url is http://HOST/... or https://HOST/..., without user or fragment, and at"
            + " most %d characters long.".formatted(MAX_URL));
  }

  private static CoveException invalid(String message) {
    return new CoveException(ErrorCode.INVALID_REQUEST, message);
  }

  private static String randomId() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return "wh" + HexFormat.of().formatHex(bytes);
  }

  @Override
  public void close() {
    changing.lock();
    try {
      List.copyOf(couriers.keySet()).forEach(this::end);
    } finally {
      changing.unlock();
    }
  }
}
