package dev.cove.control.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares ledger and world at start-up and repairs both ways.
 *
 * <p>What runs and is recorded goes on, and what is recorded as paused goes on standing still. What
 * is recorded as running and does not run is stopped, with its files, and says why. What was still
 * being built or already being taken apart when the server ended was never promised to anybody, or
 * is no longer, and goes. What was just being rebuilt is built again as it was before: its owner
 * did not ask for its end.
 */
final class Recovery {
  private static final Logger log = LoggerFactory.getLogger(Recovery.class);
  private static final String FILES_LOST = "its files are not there or not whole";
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
    var expected = new HashMap<SandboxId, Node.Expected>();
    for (Sandbox sandbox : recorded) {
      index.add(sandbox).acknowledge();
      presence(sandbox.state())
          .ifPresent(presence -> {
            expected.put(sandbox.id(), new Node.Expected(sandbox.spec(), presence));
            if (presence != Node.Presence.STOPPED) {
              volumes.adopt(sandbox.id(), sandbox.spec().volumes());
            }
          });
    }
    Map<SandboxId, Node.Presence> found = new HashMap<>(node.recover(Map.copyOf(expected)));
    rebuild(expected, found);
    expected.keySet().stream()
        .filter(id -> found.getOrDefault(id, Node.Presence.STOPPED) == Node.Presence.STOPPED)
        .forEach(volumes::release);
    FailPoint.RECOVERY_FOUND.reached();
    settle(recorded, found, bootId);
  }

  /**
   * Ends what was begun with sandboxes of which nothing runs. Whatever files are there may be half
   * of what was before or half of what was to come.
   */
  private void rebuild(
      Map<SandboxId, Node.Expected> expected, Map<SandboxId, Node.Presence> found) {
    rows.rebuilds()
        .forEach((id, before) -> {
          Node.Expected known = expected.get(id);
          Node.Presence now = found.get(id);
          if (known == null || now == Node.Presence.RUNNING || now == Node.Presence.PAUSED) {
            return;
          }
          try {
            node.remove(id);
            found.remove(id);
            node.revive(id, known.spec(), before);
            found.put(id, Node.Presence.RUNNING);
          } catch (CoveException e) {
            log.warn("sandbox {} was being rebuilt and cannot be: {}", id, e.getMessage());
          }
        });
  }

  /** How much of a sandbox there must be. */
  private Optional<Node.Presence> presence(SandboxState state) {
    return switch (state) {
      case SandboxState.Starting _, SandboxState.Running _ -> Optional.of(Node.Presence.RUNNING);
      case SandboxState.Paused _ -> Optional.of(Node.Presence.PAUSED);
      case SandboxState.Stopped _ -> Optional.of(Node.Presence.STOPPED);
      case SandboxState.Discarded kept when kept.until().isAfter(clock.instant()) ->
          Optional.of(Node.Presence.STOPPED);
      case SandboxState.Requested _,
          SandboxState.Failed _,
          SandboxState.Discarded _,
          SandboxState.Deleted _ ->
          Optional.empty();
    };
  }

  private void settle(List<Sandbox> recorded, Map<SandboxId, Node.Presence> found, String bootId) {
    boolean rebooted = rows.isOfAnotherBoot(bootId);
    var changed = new ArrayList<Sandbox>();
    var gone = new ArrayList<SandboxId>();
    var neverWere = new ArrayList<SandboxId>();
    var startAgain = new ArrayList<SandboxId>();
    for (Sandbox sandbox : recorded) {
      switch (Verdict.on(sandbox.state(), Optional.ofNullable(found.get(sandbox.id())))) {
        case KEEP -> {}
        case RUNS -> changed.add(sandbox.in(new SandboxState.Running(Micros.now(clock))));
        case STOPPED -> {
          changed.add(
              sandbox.in(new SandboxState.Stopped(whyStopped(rebooted), Micros.now(clock))));
          if (rebooted && ranAndIsToRun(sandbox)) {
            startAgain.add(sandbox.id());
          }
        }
        case LOST -> changed.add(sandbox.in(new SandboxState.Failed(FILES_LOST)));
        case GONE -> gone.add(sandbox.id());
        case NEVER_WAS -> {
          node.remove(sandbox.id());
          volumes.release(sandbox.id());
          neverWere.add(sandbox.id());
        }
      }
    }
    rows.settle(bootId, changed, gone, neverWere, startAgain);
    FailPoint.RECOVERY_SETTLED.reached();
    changed.forEach(this::show);
    gone.forEach(this::drop);
    neverWere.forEach(this::drop);
    log.info(
        "recovered {} sandboxes: {} found, {} changed, {} removed",
        recorded.size(),
        found.size(),
        changed.size(),
        gone.size() + neverWere.size());
  }

  private enum Verdict {
    KEEP,
    RUNS,
    STOPPED,
    LOST,
    GONE,
    NEVER_WAS;

    static Verdict on(SandboxState state, Optional<Node.Presence> found) {
      return switch (state) {
        case SandboxState.Starting _ ->
            found.equals(Optional.of(Node.Presence.RUNNING)) ? RUNS : NEVER_WAS;
        case SandboxState.Running _, SandboxState.Paused _, SandboxState.Stopped _ ->
            found.isEmpty() ? LOST : onFound(state, found.get());
        case SandboxState.Requested _ -> NEVER_WAS;
        case SandboxState.Failed _ -> KEEP;
        case SandboxState.Discarded _ -> found.isEmpty() ? GONE : KEEP;
        case SandboxState.Deleted _ -> GONE;
      };
    }

    private static Verdict onFound(SandboxState state, Node.Presence found) {
      return switch (found) {
        case STOPPED -> state instanceof SandboxState.Stopped ? KEEP : STOPPED;
        case PAUSED -> KEEP;
        case RUNNING -> state instanceof SandboxState.Running ? KEEP : RUNS;
      };
    }
  }

  /** One that rested is as it was: it starts when it is used. */
  private static boolean ranAndIsToRun(Sandbox sandbox) {
    return sandbox.state() instanceof SandboxState.Running
        && sandbox.life().startsAfterHostRestart();
  }

  private static StopReason whyStopped(boolean rebooted) {
    return rebooted ? StopReason.HOST_RESTARTED : StopReason.LOST;
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
