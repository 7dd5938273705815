package dev.cove.control.sandbox;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

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
  private final ConcurrentMap<String, SandboxId> byName = new ConcurrentHashMap<>();
  private final ConcurrentNavigableMap<Cursor, Entry> byAge = new ConcurrentSkipListMap<>();

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
      return sandbox.state() instanceof SandboxState.Deleted;
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
    if (!entry.isDeleted()) {
      byName.put(SandboxName.key(sandbox.spec().name()), sandbox.id());
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
      byName.remove(SandboxName.key(now.spec().name()), now.id());
      byAge.remove(Cursor.of(now));
    }
  }

  void respecify(Entry entry, SandboxSpec spec) {
    entry.sandbox = entry.sandbox.as(spec);
  }

  void remove(Entry entry) {
    Sandbox sandbox = entry.sandbox;
    byId.remove(sandbox.id(), entry);
    byName.remove(SandboxName.key(sandbox.spec().name()), sandbox.id());
    byAge.remove(Cursor.of(sandbox));
  }

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

  /** The oldest first. */
  List<Sandbox> inGroup(String group) {
    return byAge.values().stream()
        .map(Entry::sandbox)
        .filter(sandbox ->
            sandbox
                .spec()
                .network()
                .membership()
                .filter(own -> own.group().equals(group))
                .isPresent())
        .toList();
  }

  boolean hasName(String name) {
    return byName.containsKey(SandboxName.key(name));
  }

  int size() {
    return byId.size();
  }

  SandboxPage page(Map<String, String> labels, int limit, Optional<Cursor> after) {
    var tail = after.map(cursor -> byAge.tailMap(cursor, false)).orElse(byAge);
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
    return !(sandbox.state() instanceof SandboxState.Deleted)
        && sandbox.spec().labels().entrySet().containsAll(labels.entrySet());
  }

  /** An id wins over a name that looks like it. */
  private Optional<Entry> findByIdOrName(String idOrName) {
    if (idOrName.length() > MAX_LOOKUP) {
      return Optional.empty();
    }
    if (SandboxId.isValid(idOrName)) {
      Entry byThatId = byId.get(new SandboxId(idOrName));
      if (byThatId != null) {
        return Optional.of(byThatId);
      }
    }
    return Optional.ofNullable(byName.get(SandboxName.key(idOrName))).flatMap(this::find);
  }
}
