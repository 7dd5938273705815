package dev.cove.edge.e2b.process;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.e2b.process.LiveProcess.Description;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.guest.Command;
import dev.cove.guest.Guest;
import dev.cove.guest.ProcessInfo;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands of all sandboxes that this server reads. One that it does not know any more, because
 * it was started anew, it gets from the agent.
 */
final class LiveProcesses {
  private static final Logger LOG = LoggerFactory.getLogger(LiveProcesses.class);

  /** How long somebody who comes late learns how a command ended. */
  private static final Duration REMEMBERED = Duration.ofSeconds(30);

  private static final int MOST_REMEMBERED = 64;

  private final Map<SandboxId, Map<Integer, LiveProcess>> all = new ConcurrentHashMap<>();

  LiveProcesses(SandboxLifecycle lifecycle) {
    lifecycle.whenGone(all::remove);
  }

  /** Takes over a command that has just been started, or attached to; the caller begins it. */
  LiveProcess add(SandboxId sandbox, Command command, Description description) {
    var process = new LiveProcess(command, description);
    Map<Integer, LiveProcess> known = of(sandbox);
    sweep(known);
    known.put(process.pid(), process);
    return process;
  }

  void begin(SandboxId sandbox, Guest guest, LiveProcess process) {
    process.begin(() -> ended(sandbox, guest, process));
  }

  /** What is to be told of its end is here; the agent need not keep it as well. */
  private void ended(SandboxId sandbox, Guest guest, LiveProcess process) {
    if (process.end().isCompletedExceptionally()) {
      of(sandbox).remove(process.pid(), process); // it may still run: the agent will tell
      return;
    }
    try {
      guest.forget(process.processId());
    } catch (CoveException e) {
      LOG.debug("A command that ended is kept by its sandbox", e);
    }
  }

  private Map<Integer, LiveProcess> of(SandboxId sandbox) {
    return all.computeIfAbsent(sandbox, _ -> new ConcurrentHashMap<>());
  }

  private static void sweep(Map<Integer, LiveProcess> known) {
    long now = System.nanoTime();
    List<LiveProcess> ended =
        known.values().stream()
            .filter(LiveProcess::hasEnded)
            .sorted(Comparator.comparingLong(process -> now - process.endedAt()))
            .toList();
    for (int i = 0; i < ended.size(); i++) {
      LiveProcess process = ended.get(i);
      if (i >= MOST_REMEMBERED || now - process.endedAt() > REMEMBERED.toNanos()) {
        known.remove(process.pid(), process);
      }
    }
  }

  /** What runs, with what is known of it. */
  List<Listed> list(SandboxId sandbox, Guest guest) {
    Map<Integer, LiveProcess> known = of(sandbox);
    return guest.processes().stream()
        .filter(info -> info.exit().isEmpty())
        .map(info ->
            Optional.ofNullable(known.get(info.pid()))
                .filter(process -> process.processId() == info.processId())
                .map(process -> Listed.of(info.pid(), process.description()))
                .orElseGet(() -> Listed.of(info.pid(), describe(info))))
        .toList();
  }

  LiveProcess require(SandboxId sandbox, Guest guest, Selector wanted) {
    return find(sandbox, guest, wanted)
        .orElseThrow(() -> new RpcRefusal(RpcCode.NOT_FOUND, wanted + " not found"));
  }

  private Optional<LiveProcess> find(SandboxId sandbox, Guest guest, Selector wanted) {
    Map<Integer, LiveProcess> known = of(sandbox);
    sweep(known);
    if (wanted.pid() == null) {
      return known.values().stream()
          .filter(process -> process.description().tag().equals(Optional.ofNullable(wanted.tag())))
          .findFirst();
    }
    LiveProcess here = known.get(wanted.pid());
    if (here != null) {
      return Optional.of(here);
    }
    return guest.processes().stream()
        .filter(info -> info.pid() == wanted.pid() && info.exit().isEmpty())
        .findFirst()
        .map(info -> adopt(sandbox, guest, info));
  }

  private LiveProcess adopt(SandboxId sandbox, Guest guest, ProcessInfo info) {
    LiveProcess process = add(sandbox, guest.attach(info.processId()), describe(info));
    begin(sandbox, guest, process);
    return process;
  }

  /** Whether it has an input is not known of one that somebody else started. */
  private static Description describe(ProcessInfo info) {
    return new Description(
        Optional.empty(),
        info.argv().isEmpty() ? "" : info.argv().getFirst(),
        info.argv().isEmpty() ? List.of() : info.argv().subList(1, info.argv().size()),
        Map.of(),
        Optional.of(info.cwd()),
        true,
        info.terminal());
  }

  /** A process in a list. */
  record Listed(int pid, Optional<String> tag, Config config) {
    static Listed of(int pid, Description known) {
      return new Listed(
          pid, known.tag(), new Config(known.cmd(), known.args(), known.envs(), known.cwd()));
    }
  }

  record Config(String cmd, List<String> args, Map<String, String> envs, Optional<String> cwd) {}
}
