package dev.cove.control.port;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares ports of sandboxes and checks what opens them. Safe for use by many threads.
 *
 * <p>All settings are held in memory, so that a check costs no disk and a change holds from the
 * moment it returns. A port has a key of its own that signs its links; whatever changes the port's
 * setting draws a new one, and no link from before opens anything.
 */
public final class Ports {
  private static final Logger log = LoggerFactory.getLogger(Ports.class);

  public static final int MAX_PER_SANDBOX = 64;
  public static final Duration LONGEST = Duration.ofDays(30);

  /** A browser that opened a link is let in for so long, or until the link ends. */
  static final Duration LONGEST_COOKIE = Duration.ofHours(12);

  private final PortLedger rows;
  private final Clock clock;

  /** Each inner map is replaced, never changed. */
  private final ConcurrentMap<SandboxId, Map<Integer, StoredPort>> shared =
      new ConcurrentHashMap<>();

  /** Held while settings change, so that rows and memory change in the same order. */
  private final ReentrantLock changing = new ReentrantLock();

  private Ports(PortLedger rows, Clock clock) {
    this.rows = rows;
    this.clock = clock;
  }

  public static Ports open(Ledger ledger, Clock clock) {
    var ports = new Ports(new PortLedger(ledger), clock);
    ports.rows.all().forEach(ports::show);
    return ports;
  }

  /** The ports of a sandbox that have a setting, by number. */
  public List<SharedPort> list(SandboxId sandbox) {
    Instant now = clock.instant();
    return shared.getOrDefault(sandbox, Map.of()).values().stream()
        .filter(stored -> !stored.hasExpired(now))
        .map(StoredPort::port)
        .sorted(Comparator.comparingInt(port -> port.address().port()))
        .toList();
  }

  public PortAccess access(PortAddress address) {
    return find(address).map(stored -> stored.port().access()).orElse(PortAccess.PRIVATE);
  }

  /**
   * Says who may use a port from now on, and returns when it holds. What opened it before, links
   * included, does so no more.
   *
   * @param time how long; then it is private again
   */
  public Shared share(PortAddress address, PortAccess access, Optional<Duration> time) {
    time.ifPresent(Ports::requireTime);
    Optional<String> secret =
        access.needsSecret() ? Optional.of(PortSecret.random()) : Optional.empty();
    Instant now = Micros.now(clock);
    var port = new SharedPort(address, access, now, time.map(now::plus));
    byte[] hash = secret.map(PortSecret::hash).orElse(new byte[0]);
    changing.lock();
    try {
      put(new StoredPort(port, hash, PortSecret.randomBytes()));
    } finally {
      changing.unlock();
    }
    log.info("port {} is {}", address, access.publicName());
    return new Shared(port, secret);
  }

  /** Makes a port private and its links void, and returns when that holds. */
  public void unshare(PortAddress address) {
    changing.lock();
    try {
      rows.remove(List.of(address));
      hide(List.of(address));
    } finally {
      changing.unlock();
    }
    log.info("port {} is private", address);
  }

  /** Makes a link; it opens the port until it ends or the port's setting changes. */
  public Pass link(PortAddress address, Duration time) {
    requireTime(time);
    changing.lock();
    try {
      StoredPort stored =
          find(address)
              .orElseGet(() -> {
                var port =
                    new SharedPort(
                        address, PortAccess.PRIVATE, Micros.now(clock), Optional.empty());
                return put(new StoredPort(port, new byte[0], PortSecret.randomBytes()));
              });
      return LinkSeal.seal(
          stored.linkKey(), LinkSeal.Kind.LINK, address, clock.instant().plus(time));
    } finally {
      changing.unlock();
    }
  }

  /** What a browser may keep that came with this link, if it is a valid one. */
  public Optional<Pass> cookie(PortAddress address, String link) {
    return find(address)
        .flatMap(stored -> {
          Instant latest = clock.instant().plus(LONGEST_COOKIE);
          return open(stored, LinkSeal.Kind.LINK, link)
              .map(pass -> pass.expiresAt().isBefore(latest) ? pass.expiresAt() : latest)
              .map(end -> LinkSeal.seal(stored.linkKey(), LinkSeal.Kind.COOKIE, address, end));
        });
  }

  public boolean isOpenedByLink(PortAddress address, String link) {
    return find(address).flatMap(stored -> open(stored, LinkSeal.Kind.LINK, link)).isPresent();
  }

  public boolean isOpenedByCookie(PortAddress address, String cookie) {
    return find(address).flatMap(stored -> open(stored, LinkSeal.Kind.COOKIE, cookie)).isPresent();
  }

  /**
   * @param kind how the secret was presented; a token is no password and the other way round
   */
  public boolean isOpenedBySecret(PortAddress address, PortAccess kind, String secret) {
    return find(address)
        .filter(stored -> kind.needsSecret() && stored.port().access() == kind)
        .filter(stored -> stored.isOpenedBy(secret))
        .isPresent();
  }

  /** Drops what is known of a sandbox that is gone; its rows have gone with it. */
  public void forget(SandboxId sandbox) {
    changing.lock();
    try {
      shared.remove(sandbox);
    } finally {
      changing.unlock();
    }
  }

  private Optional<Pass> open(StoredPort stored, LinkSeal.Kind kind, String presented) {
    return LinkSeal.open(
        stored.linkKey(), kind, stored.port().address(), presented, clock.instant());
  }

  private Optional<StoredPort> find(PortAddress address) {
    return Optional.ofNullable(shared.getOrDefault(address.sandbox(), Map.of()).get(address.port()))
        .filter(stored -> !stored.hasExpired(clock.instant()));
  }

  /** The caller has the lock. */
  private StoredPort put(StoredPort stored) {
    PortAddress address = stored.port().address();
    dropExpired(address.sandbox());
    Map<Integer, StoredPort> others = shared.getOrDefault(address.sandbox(), Map.of());
    if (others.size() >= MAX_PER_SANDBOX && !others.containsKey(address.port())) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "A sandbox may have %d ports with a setting or a link; revoke one that is not needed."
              .formatted(MAX_PER_SANDBOX));
    }
    rows.put(stored);
    show(stored);
    return stored;
  }

  private void dropExpired(SandboxId sandbox) {
    Instant now = clock.instant();
    List<PortAddress> expired =
        shared.getOrDefault(sandbox, Map.of()).values().stream()
            .filter(stored -> stored.hasExpired(now))
            .map(stored -> stored.port().address())
            .toList();
    if (!expired.isEmpty()) {
      rows.remove(expired);
      hide(expired);
    }
  }

  private void show(StoredPort stored) {
    PortAddress address = stored.port().address();
    var ports = new HashMap<>(shared.getOrDefault(address.sandbox(), Map.of()));
    ports.put(address.port(), stored);
    shared.put(address.sandbox(), Map.copyOf(ports));
  }

  private void hide(List<PortAddress> addresses) {
    for (PortAddress address : addresses) {
      shared.computeIfPresent(
          address.sandbox(),
          (_, before) -> {
            var ports = new HashMap<>(before);
            ports.remove(address.port());
            return ports.isEmpty() ? null : Map.copyOf(ports);
          });
    }
  }

  private static void requireTime(Duration time) {
    if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "expiresInSeconds must be between 1 and " + LONGEST.toSeconds());
    }
  }
}
