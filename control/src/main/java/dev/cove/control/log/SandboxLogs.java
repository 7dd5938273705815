package dev.cove.control.log;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The logs of all sandboxes, a folder each. */
public final class SandboxLogs {
  private static final Logger log = LoggerFactory.getLogger(SandboxLogs.class);

  private final Path root;
  private final long limit;
  private final Clock clock;
  private final Map<SandboxId, SandboxLog> logs = new ConcurrentHashMap<>();

  /**
   * @param limit so many bytes are kept of each sandbox, and the older half goes at once
   */
  public SandboxLogs(Path root, long limit, Clock clock) {
    this.root = root;
    this.limit = limit;
    this.clock = clock;
  }

  /** The log of a sandbox that exists; empty before its first line. */
  public SandboxLog of(SandboxId id) {
    try {
      return logs.computeIfAbsent(id, this::open);
    } catch (UncheckedIOException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE, "The log of sandbox %s cannot be read.".formatted(id), e);
    }
  }

  private SandboxLog open(SandboxId id) {
    try {
      return new SandboxLog(root.resolve(id.value()), limit, clock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Drops what a sandbox has said that is gone. */
  public void forget(SandboxId id) {
    SandboxLog known = logs.remove(id);
    try {
      if (known != null) {
        known.remove();
      } else {
        SandboxLog.removeFolder(root.resolve(id.value()));
      }
    } catch (IOException e) {
      log.warn("the log of sandbox {} could not be removed; the next start tries again", id, e);
    }
  }

  /** Drops the logs of sandboxes that are not there any more. */
  public void sweep(Set<SandboxId> known) {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (var folders = Files.list(root)) {
      for (Path folder : folders.toList()) {
        String name = folder.getFileName().toString();
        if (!SandboxId.isValid(name) || !known.contains(new SandboxId(name))) {
          SandboxLog.removeFolder(folder);
        }
      }
    } catch (IOException e) {
      log.warn("logs of former sandboxes could not be removed; the next start tries again", e);
    }
  }
}
