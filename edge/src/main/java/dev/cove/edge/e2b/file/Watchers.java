package dev.cove.edge.e2b.file;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.e2b.file.Watching.Begun;
import dev.cove.edge.e2b.file.Watching.Changed;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.guest.GuestLinkException;
import dev.cove.model.SandboxId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Watches that are asked for news from time to time. They wait in the link until then. */
final class Watchers {
  private static final int MOST = 64;
  private static final int MOST_AT_ONCE = 10_000;
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private final Map<SandboxId, Map<String, Begun>> all = new ConcurrentHashMap<>();

  Watchers(SandboxLifecycle lifecycle) {
    lifecycle.whenGone(this::forget);
  }

  String add(SandboxId sandbox, Begun watch) {
    String id = "w" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    all.compute(
        sandbox,
        (_, known) -> {
          var more = known == null ? new HashMap<String, Begun>() : new HashMap<>(known);
          if (more.size() >= MOST) {
            watch.close();
            throw new RpcRefusal(
                RpcCode.RESOURCE_EXHAUSTED,
                "A sandbox has at most %d watchers; remove one first".formatted(MOST));
          }
          more.put(id, watch);
          return more;
        });
    return id;
  }

  /** What has happened since the last time. */
  List<Changed> drain(SandboxId sandbox, String id) {
    Begun watch = find(sandbox, id).orElseThrow(() -> unknown(id));
    var changes = new ArrayList<Changed>();
    try {
      while (changes.size() < MOST_AT_ONCE) {
        Optional<Changed> change = watch.next(AT_ONCE);
        if (change.isEmpty()) {
          break;
        }
        changes.add(change.get());
      }
    } catch (GuestLinkException e) {
      remove(sandbox, id); // it does not outlive the link
      throw unknown(id);
    }
    return changes;
  }

  void remove(SandboxId sandbox, String id) {
    find(sandbox, id).orElseThrow(() -> unknown(id)).close();
    all.computeIfPresent(
        sandbox,
        (_, known) -> {
          var rest = new HashMap<>(known);
          rest.remove(id);
          return rest.isEmpty() ? null : rest;
        });
  }

  private Optional<Begun> find(SandboxId sandbox, String id) {
    return Optional.ofNullable(all.getOrDefault(sandbox, Map.of()).get(id));
  }

  private void forget(SandboxId sandbox) {
    Map<String, Begun> known = all.remove(sandbox);
    if (known != null) {
      known.values().forEach(Begun::close);
    }
  }

  private static RpcRefusal unknown(String id) {
    return new RpcRefusal(RpcCode.NOT_FOUND, "watcher with id %.64s not found".formatted(id));
  }
}
