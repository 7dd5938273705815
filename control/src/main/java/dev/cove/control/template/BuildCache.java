package dev.cove.control.template;

import dev.cove.control.layer.LayerHolder;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.project.Scope;
import dev.cove.model.LayerId;
import dev.cove.model.crash.FailPoint;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The layers that a step of a build, or a layer of an image, gave, so that the same need not be
 * done twice. Any of it may be dropped at any time. Safe for use by many threads.
 */
public final class BuildCache implements LayerHolder {
  static final int MAX_ENTRIES = 1_000;

  private final Ledger ledger;
  private final Clock clock;
  private final Map<String, Entry> entries = new HashMap<>();

  private record Entry(List<LayerId> layers, long usedAt) {}

  public BuildCache(Ledger ledger, Layers layers, Clock clock) {
    this.ledger = ledger;
    this.clock = clock;
    load();
    layers.register(this);
    layers.beforePruning(this::clear);
  }

  private void load() {
    var stacks =
        ledger.read(session ->
            OwnedRows.layers(
                session, "select key, layer from build_cache_layer order by key, position"));
    ledger
        .read(session ->
            session.query(
                "select key, used_at from build_cache",
                row -> Map.entry(row.getString(1), row.getLong(2))))
        .forEach(row ->
            entries.put(
                row.getKey(),
                new Entry(
                    List.copyOf(stacks.getOrDefault(row.getKey(), List.of())), row.getValue())));
  }

  @Override
  public String kind() {
    return "build cache";
  }

  @Override
  public synchronized Map<String, Set<LayerId>> holds() {
    var held = new HashMap<String, Set<LayerId>>();
    entries.forEach((key, entry) -> held.put(key, Set.copyOf(entry.layers())));
    return held;
  }

  /** Of what the caller's own project did before. */
  public synchronized Optional<List<LayerId>> find(String step) {
    String key = own(step);
    Entry entry = entries.get(key);
    if (entry == null) {
      return Optional.empty();
    }
    long now = Micros.of(clock.instant());
    ledger.write(
        session -> session.run("update build_cache set used_at = ? where key = ?", now, key));
    entries.put(key, new Entry(entry.layers(), now));
    return Optional.of(entry.layers());
  }

  /** Remembers what a step gave; forgets what was used least lately when there is too much. */
  public synchronized void put(String step, List<LayerId> stack) {
    String key = own(step);
    long now = Micros.of(clock.instant());
    List<String> over = new ArrayList<>();
    if (!entries.containsKey(key) && entries.size() >= MAX_ENTRIES) {
      entries.entrySet().stream()
          .min(Comparator.comparingLong(entry -> entry.getValue().usedAt()))
          .ifPresent(oldest -> over.add(oldest.getKey()));
    }
    over.add(key);
    ledger.write(session -> {
      for (String old : over) {
        session.run("delete from build_cache where key = ?", old);
      }
      session.run("insert into build_cache (key, used_at) values (?, ?)", key, now);
      for (int i = 0; i < stack.size(); i++) {
        session.run(
            "insert into build_cache_layer (key, position, layer) values (?, ?, ?)",
            key,
            i,
            stack.get(i).value());
      }
      return true;
    });
    FailPoint.STEP_RECORDED.reached();
    over.forEach(entries::remove);
    entries.put(key, new Entry(List.copyOf(stack), now));
  }

  /** What a step gave may hold what only its own project could reach. */
  private static String own(String step) {
    return Scope.here().isDefault() ? step : Scope.here() + "/" + step;
  }

  private synchronized void clear() {
    ledger.write(session -> session.run("delete from build_cache"));
    FailPoint.PRUNE_CACHE_CLEARED.reached();
    entries.clear();
  }
}
