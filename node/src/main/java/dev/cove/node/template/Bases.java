package dev.cove.node.template;

import dev.cove.engine.RootFs;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What root file systems are built on. */
public final class Bases {
  private final HostTemplate host;
  private final Path empty;

  public Bases(Path folder) {
    this.host = new HostTemplate(Path.of("/"), folder.resolve("host"));
    this.empty = folder.resolve("empty");
  }

  /** The folders of a base, made now if they are not there or the host has changed. */
  public RootFs rootOf(Base base) {
    return switch (base) {
      case HOST -> host.current();
      case EMPTY -> new RootFs(List.of(emptyFolder()), List.of());
    };
  }

  /** The folders of a base with nothing in them: what is put over it is seen alone. */
  public RootFs outlineOf(Base base) {
    Path nothing = emptyFolder();
    List<RootFs.Graft> grafts =
        rootOf(base).grafts().stream()
            .map(graft -> new RootFs.Graft(graft.target(), nothing))
            .toList();
    return new RootFs(List.of(nothing), grafts);
  }

  private Path emptyFolder() {
    try {
      return Files.createDirectories(empty);
    } catch (IOException e) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "Could not make " + empty, e);
    }
  }

  /** Removes versions of the host's that no new sandbox will use. Only when no sandbox runs. */
  public void removeOldVersions() {
    host.removeOldVersions();
  }
}
