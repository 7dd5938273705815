package dev.cove.control.sandbox;

import dev.cove.control.project.Scope;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What the ledger says, in memory: every look-up and listing is answered from here.
 *
 * <p>It follows the ledger and never leads it, and this process is the ledger's only writer; so
 * reads cost no disk and go on while the disk is full.
 */
final class SandboxIndex {
  /** More than one machine can run; failed sandboxes that nobody deletes count too. */
  static final int MAX_SANDBOXES = 100_000;

  static final int MAX_PAGE = 1_000;

  /** Longer than any name in any spelling; normalising megabytes helps nobody. */
  private static final int MAX_LOOKUP = 1_024;

  private final ConcurrentMap<SandboxId, Entry> byId = new ConcurrentHashMap<>();
  private final ConcurrentMap<OwnName, SandboxId> byName = new ConcurrentHashMap<>();
  private final ConcurrentNavigableMap<Cursor, Entry> byAge = new ConcurrentSkipListMap<>();

  /** Those that are deleted and kept for a while. */
  private final ConcurrentNavigableMap<Cursor, Entry> discarded = new ConcurrentSkipListMap<>();

  /** Two projects may call theirs the same. */
  private record OwnName(ProjectName project, String key) {
    static OwnName of(Sandbox sandbox) {
      return new OwnName(sandbox.spec().project(), SandboxName.key(sandbox.spec().name()));
    }

    /** What the caller means by it. */
    static OwnName here(String name) {
      return new OwnName(Scope.here(), SandboxName.key(name));
    }
  }

  /** One sandbox. Whoever changes its state or its world holds the lock; reading needs none. */
  static final class Entry {
    final ReentrantLock lock = new ReentrantLock();
    private volatile Sandbox sandbox;
    private volatile boolean acknowledged;

    private Entry(Sandbox sandbox) {
      this.sandbox = sandbox;
    }

    Sandbox sandbox() {
      return sandbox;
    }

    SandboxId id() {
      return sandbox.id();
    }

    boolean isDeleted() {
      return sandbox.state() instanceof SandboxState.Deleted || isDiscarded();
    }

    /** Deleted, and kept for a while. */
    boolean isDiscarded() {
      return sandbox.state() instanceof SandboxState.Discarded;
    }

    /** Some caller may know that this sandbox exists. */
    boolean acknowledged() {
      return acknowledged;
    }

    void acknowledge() {
      acknowledged = true;
    }
  }

  Entry add(Sandbox sandbox) {
    return publish(new Entry(sandbox));
  }

  /** Adds a sandbox that its creator is not done with; others see it and wait for the lock. */
  Entry addLocked(Sandbox sandbox) {
    var entry = new Entry(sandbox);
    entry.lock.lock();
    return publish(entry);
  }

  private Entry publish(Entry entry) {
    Sandbox sandbox = entry.sandbox;
    byId.put(sandbox.id(), entry);
    if (entry.isDiscarded()) {
      discarded.put(Cursor.of(sandbox), entry);
    } else if (!entry.isDeleted()) {
      byName.put(OwnName.of(sandbox), sandbox.id());
      byAge.put(Cursor.of(sandbox), entry);
    }
    return entry;
  }

  /** Makes a state that the ledger already has visible. */
  void move(Entry entry, SandboxState next) {
    Sandbox now = entry.sandbox;
    if (!now.state().canBecome(next)) {
      throw new IllegalStateException(
          "Sandbox %s is %s and cannot become %s"
              .formatted(now.id(), now.state().publicName(), next.publicName()));
    }
    entry.sandbox = now.in(next);
    if (entry.isDeleted()) {
      byName.remove(OwnName.of(now), now.id());
      byAge.remove(Cursor.of(now));
      discarded.remove(Cursor.of(now));
    }
    if (entry.isDiscarded()) {
      discarded.put(Cursor.of(now), entry);
    }
  }

  /** Makes one that was deleted and kept visible again. */
  void undelete(Entry entry, Sandbox stopped) {
    discarded.remove(Cursor.of(stopped));
    entry.sandbox = stopped;
    publish(entry);
  }

  void respecify(Entry entry, SandboxSpec spec) {
    entry.sandbox = entry.sandbox.as(spec);
  }

  void endLifeAt(Entry entry, Optional<Instant> end) {
    entry.sandbox = entry.sandbox.endingAt(end);
  }

  /** The oldest first, as they are while one looks. */
  Iterable<Entry> entries() {
    return byAge.values();
  }

  /** Those that are deleted and kept for a while. */
  Iterable<Entry> discarded() {
    return discarded.values();
  }

  /** One of those by its id, or the one of that name that was deleted last. */
  Optional<Entry> findDiscarded(String idOrName) {
    Optional<Entry> byThatId =
        findByIdOrName(idOrName).filter(entry -> entry.id().value().equals(idOrName));
    if (byThatId.isPresent() || idOrName.length() > MAX_LOOKUP) {
      return byThatId.filter(Entry::isDiscarded);
    }
    OwnName meant = OwnName.here(idOrName);
    return discarded.values().stream()
        .filter(entry -> OwnName.of(entry.sandbox()).equals(meant))
        .max(Comparator.comparing(SandboxIndex::discardedAt));
  }

  private static Instant discardedAt(Entry entry) {
    return entry.sandbox().state() instanceof SandboxState.Discarded state
        ? state.since()
        : Instant.EPOCH;
  }

  void remove(Entry entry) {
    Sandbox sandbox = entry.sandbox;
    byId.remove(sandbox.id(), entry);
    byName.remove(OwnName.of(sandbox), sandbox.id());
    byAge.remove(Cursor.of(sandbox));
    discarded.remove(Cursor.of(sandbox));
  }

  /** Whosesoever it is: for those who found the id in what they may know of. */
  Optional<Entry> find(SandboxId id) {
    return Optional.ofNullable(byId.get(id));
  }

  Entry require(String idOrName) {
    return findByIdOrName(idOrName)
        .filter(entry -> !entry.isDeleted())
        .orElseThrow(SandboxIndex::noSuchSandbox);
  }

  /** Finds, by its id, also a sandbox that is still being taken apart. */
  Entry requireEvenDeleted(String idOrName) {
    return findByIdOrName(idOrName).orElseThrow(SandboxIndex::noSuchSandbox);
  }

  /** Does not repeat what was asked for: it may be long, and need not be text. */
  static CoveException noSuchSandbox() {
    return new CoveException(ErrorCode.NOT_FOUND, "There is no such sandbox.");
  }

  boolean holds(Entry entry) {
    return byId.get(entry.id()) == entry;
  }

  /** All that have not been deleted, the oldest first. */
  List<Sandbox> all() {
    return byAge.values().stream().map(Entry::sandbox).toList();
  }

  /** The oldest first. */
  List<Sandbox> inGroup(String group) {
    return byAge.values().stream()
        .map(Entry::sandbox)
        .filter(sandbox -> sandbox.spec().project().equals(Scope.here()))
        .filter(sandbox ->
            sandbox
                .spec()
                .network()
                .membership()
                .filter(own -> own.group().equals(group))
                .isPresent())
        .toList();
  }

  /** What each is now, those that are being taken apart included. */
  Map<SandboxId, SandboxState> states() {
    return byId.values().stream()
        .map(Entry::sandbox)
        .collect(Collectors.toMap(Sandbox::id, Sandbox::state));
  }

  /** Whosesoever they are, those being taken apart included. */
  void forEach(Consumer<Sandbox> work) {
    byId.values().forEach(entry -> work.accept(entry.sandbox));
  }

  boolean hasName(String name) {
    return byName.containsKey(OwnName.here(name));
  }

  int size() {
    return byId.size();
  }

  SandboxPage page(Map<String, String> labels, int limit, Optional<Cursor> after) {
    return page(byAge, labels, limit, after);
  }

  SandboxPage discardedPage(Map<String, String> labels, int limit, Optional<Cursor> after) {
    return page(discarded, labels, limit, after);
  }

  private static SandboxPage page(
      ConcurrentNavigableMap<Cursor, Entry> all,
      Map<String, String> labels,
      int limit,
      Optional<Cursor> after) {
    var tail = after.map(cursor -> all.tailMap(cursor, false)).orElse(all);
    var items = new ArrayList<Sandbox>();
    for (Entry entry : tail.values()) {
      Sandbox sandbox = entry.sandbox;
      if (!matches(sandbox, labels)) {
        continue;
      }
      if (items.size() == limit) {
        return new SandboxPage(items, Optional.of(Cursor.of(items.getLast()).encode()));
      }
      items.add(sandbox);
    }
    return new SandboxPage(items, Optional.empty());
  }

  private static boolean matches(Sandbox sandbox, Map<String, String> labels) {
    return Scope.covers(sandbox.spec().project())
        && !(sandbox.state() instanceof SandboxState.Deleted)
        && sandbox.spec().labels().entrySet().containsAll(labels.entrySet());
  }

  /** An id wins over a name that looks like it. */
  private Optional<Entry> findByIdOrName(String idOrName) {
    if (idOrName.length() > MAX_LOOKUP) {
      return Optional.empty();
    }
    if (SandboxId.isValid(idOrName)) {
      Entry byThatId = byId.get(new SandboxId(idOrName));
      if (byThatId != null && Scope.covers(byThatId.sandbox().spec().project())) {
        return Optional.of(byThatId);
      }
    }
    return Optional.ofNullable(byName.get(OwnName.here(idOrName))).flatMap(this::find);
  }
}
