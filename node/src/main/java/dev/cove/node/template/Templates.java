package dev.cove.node.template;

import dev.cove.engine.RootFs;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.file.Path;

/** The templates this node can start sandboxes from. */
public final class Templates {
  public static final String HOST = "host";

  private final HostTemplate host;

  public Templates(Path folder) {
    this.host = new HostTemplate(Path.of("/"), folder.resolve(HOST));
  }

  /** Refuses a name that {@link #rootOf} would not know, without building anything. */
  public void requireKnown(String name) {
    if (!name.equals(HOST)) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "There is no template named \"%s\"; this server has: %s".formatted(name, HOST));
    }
  }

  /** The root file system of a template, built now if it is not there or the host has changed. */
  public RootFs rootOf(String name) {
    requireKnown(name);
    return host.current();
  }

  /** Removes versions that no new sandbox will use. Only when no sandbox runs. */
  public void removeOldVersions() {
    host.removeOldVersions();
  }
}
