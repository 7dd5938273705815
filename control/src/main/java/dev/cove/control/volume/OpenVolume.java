package dev.cove.control.volume;

import dev.cove.guest.GuestFiles;
import dev.cove.node.NodeVolumes;

/** A volume whose files are at hand. Nobody who must not have it gets it before this is closed. */
public final class OpenVolume implements AutoCloseable {
  private final NodeVolumes.Open open;
  private final Runnable release;

  OpenVolume(NodeVolumes.Open open, Runnable release) {
    this.open = open;
    this.release = release;
  }

  /** What begins with {@link #folder} is in the volume. */
  public GuestFiles files(String user) {
    return open.guest().files(user);
  }

  public String folder() {
    return NodeVolumes.Open.FOLDER;
  }

  @Override
  public void close() {
    try {
      open.close();
    } finally {
      release.run();
    }
  }
}
