package dev.cove.node.workspace;

import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.Workspace;
import dev.cove.node.Node.Activity;
import dev.cove.node.NodeWorkspaces.Subject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what files of the host were, a moment after sandboxes first changed them: later the host's
 * may have changed, too. Looks only at sandboxes in which something has happened.
 */
public final class BaseKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BaseKeeper.class);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final LocalWorkspaces workspaces;
  private final Function<SandboxId, Optional<Activity>> activity;
  private final Map<SandboxId, Activity> seen = new HashMap<>();
  private final Thread thread;

  /**
   * @param activity of a sandbox that runs
   */
  public BaseKeeper(LocalWorkspaces workspaces, Function<SandboxId, Optional<Activity>> activity) {
    this.workspaces = workspaces;
    this.activity = activity;
    this.thread = Thread.ofVirtual().name("cove-bases").unstarted(this::run);
  }

  public void begin() {
    thread.start();
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(PAUSE);
        look();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void look() {
    Map<SandboxId, List<Workspace>> open = workspaces.opened();
    seen.keySet().retainAll(open.keySet());
    open.forEach((id, folders) -> {
      Optional<Activity> now = activity.apply(id);
      if (now.isPresent() && !now.get().equals(seen.put(id, now.get()))) {
        folders.stream().filter(one -> !one.readOnly()).forEach(one -> keep(id, one));
      }
    });
  }

  private void keep(SandboxId id, Workspace workspace) {
    try {
      workspaces.keepBases(new Subject(id, workspace));
    } catch (CoveException e) {
      LOG.debug("sandbox {}: what {} was could not be kept now", id, workspace.path(), e);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
