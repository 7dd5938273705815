package dev.cove.control.key;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Scope;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Issues, checks and revokes API keys. Safe for use by many threads.
 *
 * <p>A key is found by its id, which is no secret; only then is the hash of the whole compared, in
 * constant time. All keys are held in memory, so that a check costs no disk and a revocation holds
 * from the moment it returns.
 */
public final class ApiKeys {
  private static final Logger log = LoggerFactory.getLogger(ApiKeys.class);

  /** In each project, and of operators. */
  static final int MAX_KEYS = 1_000;

  private static final int MAX_NAME = 128;
  private static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);

  private final KeyLedger rows;
  private final Clock clock;
  private final ConcurrentMap<String, StoredKey> byId = new ConcurrentHashMap<>();

  /** Held while keys are added or revoked, so that their number stays bounded. */
  private final ReentrantLock changing = new ReentrantLock();

  private ApiKeys(KeyLedger rows, Clock clock) {
    this.rows = rows;
    this.clock = clock;
  }

  public static ApiKeys open(Ledger ledger, Clock clock) {
    var keys = new ApiKeys(new KeyLedger(ledger), clock);
    keys.rows.all().forEach(stored -> keys.byId.put(stored.key().id(), stored));
    return keys;
  }

  /** Makes an operator's key. */
  public Issued issue(String name) {
    return issue(name, Optional.empty());
  }

  /**
   * Makes a key. Its secret is in the answer and nowhere else.
   *
   * @param project where it acts; none for an operator's
   */
  public Issued issue(String name, Optional<ProjectName> project) {
    requireName(name);
    KeySecret secret = KeySecret.random();
    var key =
        new ApiKey(
            secret.id(),
            name,
            project,
            secret.last4(),
            Micros.now(clock),
            Optional.empty(),
            Optional.empty());
    var stored = new StoredKey(key, secret.hash());
    changing.lock();
    try {
      makeRoom(project);
      rows.insert(stored);
      byId.put(key.id(), stored);
    } finally {
      changing.unlock();
    }
    log.info("key {} issued", key.id());
    return new Issued(key, secret.reveal());
  }

  /** The keys that concern the caller, revoked ones too, the oldest first. */
  public List<ApiKey> list() {
    return oldestFirst(key -> Scope.covers(key.project()));
  }

  private List<ApiKey> oldestFirst(Predicate<ApiKey> which) {
    return byId.values().stream()
        .map(StoredKey::key)
        .filter(which)
        .sorted(Comparator.comparing(ApiKey::createdAt).thenComparing(ApiKey::id))
        .toList();
  }

  /** Returns when no request with this key is let in any more. */
  public void revoke(String id) {
    changing.lock();
    try {
      StoredKey stored = byId.get(id);
      if (stored == null || !Scope.covers(stored.key().project())) {
        throw new CoveException(ErrorCode.NOT_FOUND, "There is no such key.");
      }
      if (stored.key().revokedAt().isPresent()) {
        return;
      }
      Instant now = Micros.now(clock);
      rows.revoke(id, now);
      byId.computeIfPresent(id, (_, current) -> current.revoked(now));
    } finally {
      changing.unlock();
    }
    log.info("key {} revoked", id);
  }

  /**
   * The valid key that was presented, if it was one. Takes as long for a wrong as for a right one.
   */
  public Optional<ApiKey> authenticate(String presented) {
    Optional<StoredKey> valid = findValid(presented);
    valid.ifPresent(this::noteUse);
    return valid.map(StoredKey::key);
  }

  /** Looks without this counting as a use. */
  boolean accepts(String presented) {
    return findValid(presented).isPresent();
  }

  private Optional<StoredKey> findValid(String presented) {
    Optional<KeySecret> secret = KeySecret.parse(presented);
    StoredKey candidate = secret.map(KeySecret::id).map(byId::get).orElse(StoredKey.NOBODYS);
    boolean same = secret.orElse(KeySecret.NOBODYS).hasHash(candidate.hash());
    return same && candidate.key().revokedAt().isEmpty()
        ? Optional.of(candidate)
        : Optional.empty();
  }

  /** At most once a minute per key, and never on the caller's time. */
  private void noteUse(StoredKey used) {
    Instant now = Micros.now(clock);
    if (!isDue(used, now)) {
      return;
    }
    String id = used.key().id();
    StoredKey noted =
        byId.computeIfPresent(
            id, (_, current) -> isDue(current, now) ? current.used(now) : current);
    if (noted != null && noted.key().lastUsedAt().equals(Optional.of(now))) {
      var _ =
          rows.noteUse(id, now)
              .exceptionally(fault -> {
                log.debug("The last use of key {} could not be written", id, fault);
                return 0;
              });
    }
  }

  private static boolean isDue(StoredKey stored, Instant now) {
    return stored
        .key()
        .lastUsedAt()
        .map(last -> Duration.between(last, now).abs().compareTo(USE_NOTED_EVERY) >= 0)
        .orElse(true);
  }

  /** Drops what is known of a project that is gone; its rows have gone with it. */
  public void forget(ProjectName project) {
    byId.values().removeIf(stored -> stored.key().project().equals(Optional.of(project)));
  }

  /** The keys that were revoked first make room for new ones; valid keys never do. */
  private void makeRoom(Optional<ProjectName> project) {
    List<ApiKey> others = oldestFirst(key -> key.project().equals(project));
    if (others.size() < MAX_KEYS) {
      return;
    }
    ApiKey oldest =
        others.stream()
            .filter(key -> key.revokedAt().isPresent())
            .min(Comparator.comparing(key -> key.revokedAt().orElse(Instant.MAX)))
            .orElseThrow(() ->
                new CoveException(
                    ErrorCode.CONFLICT,
                    "There are %d keys, which is the most there may be; revoke one first."
                        .formatted(MAX_KEYS)));
    rows.delete(oldest.id());
    byId.remove(oldest.id());
  }

  private static void requireName(String name) {
    if (name.isBlank()
        || name.length() > MAX_NAME
        || name.codePoints().anyMatch(c -> Character.isISOControl(c) || isSurrogate(c))) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "A key's name is 1 to %d characters without control characters.".formatted(MAX_NAME));
    }
  }

  /** codePoints() yields one of these only where its partner is missing. */
  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
