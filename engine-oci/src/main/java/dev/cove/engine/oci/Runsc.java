package dev.cove.engine.oci;

import dev.cove.engine.container.Launcher;
import dev.cove.model.Resources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * gVisor.
 *
 * <ul>
 *   <li>Network of the host, which here is the cage's dead end: gVisor's own stack would need an
 *       interface that leads somewhere.
 *   <li>Files shared with others, which means that nothing written is kept back in memory: a layer
 *       is a copy of the disk at one moment, and must have it.
 *   <li>Files through a process of their own, so that the kernel in user space has no descriptor of
 *       a folder; and no layer of gVisor's own over them.
 *   <li>No sockets or pipes of the host by name, and no cgroups: the cage has its own.
 * </ul>
 */
record Runsc(Path program, String platform, boolean knowsDirectFs) implements Launcher {
  /** What the kernel in user space and its file server take for themselves. */
  private static final int OWN_MEMORY_MB = 96;

  /** Each process inside is one or more of the host's, besides some thirty threads of gVisor's. */
  private static final int OWN_PROCESSES = 128;

  @Override
  public String config(Wanted wanted) {
    return new Bundle(wanted).text();
  }

  @Override
  public List<String> command(String id) {
    var command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--root=" + STATE,
                "--network=host",
                "--platform=" + platform,
                "--file-access=shared",
                "--overlay2=none",
                "--ignore-cgroups"));
    if (knowsDirectFs) {
      command.add("--directfs=false");
    }
    command.addAll(List.of("run", "--bundle=" + BUNDLE, id));
    return command;
  }

  @Override
  public Resources limits(Resources asked) {
    return new Resources(
        asked.milliCpus(),
        asked.memoryMb() + OWN_MEMORY_MB,
        asked.diskMb(),
        asked.maxProcesses() * 2 + OWN_PROCESSES);
  }
}
