package dev.cove.control.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.node.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares ledger and world at start-up and repairs both ways.
 *
 * <p>What runs and is recorded goes on. What is recorded as running and does not run has failed,
 * visibly. What was still being built or already being taken apart when the server ended was never
 * promised to anybody, or is no longer, and goes. What was just being rebuilt is built again as it
 * was before: its owner did not ask for its end.
 */
final class Recovery {
  private static final Logger log = LoggerFactory.getLogger(Recovery.class);
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final Node node;
  private final Volumes volumes;
  private final Clock clock;

  Recovery(SandboxLedger rows, SandboxIndex index, Node node, Volumes volumes, Clock clock) {
    this.rows = rows;
    this.index = index;
    this.node = node;
    this.volumes = volumes;
    this.clock = clock;
  }

  /** What the kernel drew at random when this host came up. */
  static String bootId() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + BOOT_ID, e);
    }
  }

  void run(String bootId) {
    List<Sandbox> recorded = rows.all();
    var expected = new HashMap<SandboxId, SandboxSpec>();
    for (Sandbox sandbox : recorded) {
      index.add(sandbox).acknowledge();
      if (mayRun(sandbox.state())) {
        expected.put(sandbox.id(), sandbox.spec());
        volumes.adopt(sandbox.id(), sandbox.spec().volumes());
      }
    }
    Set<SandboxId> there = new HashSet<>(node.recover(Map.copyOf(expected)));
    boolean rebooted = rows.noteBoot(bootId);
    if (!rebooted) {
      there.addAll(rebuild(expected, there));
    }
    expected.keySet().stream().filter(id -> !there.contains(id)).forEach(volumes::release);
    settle(recorded, there, rebooted);
  }

  /** Ends what was begun with sandboxes of which nothing runs. */
  private Set<SandboxId> rebuild(Map<SandboxId, SandboxSpec> expected, Set<SandboxId> there) {
    var built = new HashSet<SandboxId>();
    rows.rebuilds()
        .forEach((id, before) -> {
          SandboxSpec spec = expected.get(id);
          if (spec == null || there.contains(id)) {
            return;
          }
          try {
            node.revive(id, spec, before);
            built.add(id);
          } catch (CoveException e) {
            log.warn("sandbox {} was being rebuilt and cannot be: {}", id, e.getMessage());
          }
        });
    return built;
  }

  private static boolean mayRun(SandboxState state) {
    return switch (state) {
      case SandboxState.Starting _, SandboxState.Running _, SandboxState.Paused _ -> true;
      case SandboxState.Requested _,
          SandboxState.Stopped _,
          SandboxState.Failed _,
          SandboxState.Deleted _ ->
          false;
    };
  }

  private void settle(List<Sandbox> recorded, Set<SandboxId> adopted, boolean rebooted) {
    var changed = new ArrayList<Sandbox>();
    var gone = new ArrayList<SandboxId>();
    var neverWere = new ArrayList<SandboxId>();
    for (Sandbox sandbox : recorded) {
      switch (Verdict.on(sandbox.state(), adopted.contains(sandbox.id()))) {
        case KEEP -> {}
        case RUNS -> changed.add(sandbox.in(new SandboxState.Running(Micros.now(clock))));
        case LOST -> changed.add(sandbox.in(new SandboxState.Failed(whyLost(rebooted))));
        case GONE -> gone.add(sandbox.id());
        case NEVER_WAS -> neverWere.add(sandbox.id());
      }
    }
    rows.settle(changed, gone, neverWere);
    changed.forEach(this::show);
    gone.forEach(this::drop);
    neverWere.forEach(this::drop);
    log.info(
        "recovered {} sandboxes: {} adopted, {} changed, {} removed",
        recorded.size(),
        adopted.size(),
        changed.size(),
        gone.size() + neverWere.size());
  }

  private enum Verdict {
    KEEP,
    RUNS,
    LOST,
    GONE,
    NEVER_WAS;

    static Verdict on(SandboxState state, boolean adopted) {
      return switch (state) {
        case SandboxState.Starting _ -> adopted ? RUNS : NEVER_WAS;
        case SandboxState.Running _, SandboxState.Paused _ -> adopted ? KEEP : LOST;
        case SandboxState.Requested _ -> NEVER_WAS;
        case SandboxState.Stopped _, SandboxState.Failed _ -> KEEP;
        case SandboxState.Deleted _ -> GONE;
      };
    }
  }

  private static String whyLost(boolean rebooted) {
    return rebooted ? "the host restarted" : "lost while the server was down";
  }

  private void show(Sandbox sandbox) {
    index.find(sandbox.id()).ifPresent(entry -> show(entry, sandbox.state()));
  }

  /** A sandbox that was adopted may have been lost since, and its loss already recorded. */
  private void show(Entry entry, SandboxState next) {
    entry.lock.lock();
    try {
      SandboxState now = entry.sandbox().state();
      if (now.canBecome(next)) {
        log.info("sandbox {} {} -> {}", entry.id(), now.publicName(), next.publicName());
        index.move(entry, next);
      } else {
        rows.updateState(entry.sandbox());
      }
    } finally {
      entry.lock.unlock();
    }
  }

  private void drop(SandboxId id) {
    index.find(id).ifPresent(index::remove);
  }
}
