package dev.cove.engine.container;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineReport;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Virtual machines, as {@link MachineEngine} needs them: what is started in place of an agent, and
 * how it is spoken to. Everything here may be called for many sandboxes at once.
 */
public interface Machines extends AutoCloseable {
  /** What this host lets them promise. */
  EngineReport report();

  /**
   * Sees to it that a machine for the plan can be started. Takes long the first time that a root or
   * a size is wanted, and makes nothing for the sandbox itself.
   *
   * @param writable the sandbox's own disk
   * @param sealed the images of the root's sealed layers, in their order
   */
  Launch prepare(CagePlan plan, Path writable, List<Path> sealed);

  /**
   * What to start.
   *
   * @param memory names what the machine goes on with
   * @param memoryFile where that is
   * @param state of its devices
   * @param parts files and folders of the host that the program is made of, and all that it sees
   * @param disks the sandbox's own first
   * @param arguments the program's path first
   */
  record Launch(
      String memory,
      Path memoryFile,
      Path state,
      List<Path> parts,
      List<Disk> disks,
      List<String> arguments) {
    public Launch {
      parts = List.copyOf(parts);
      disks = List.copyOf(disks);
      arguments = List.copyOf(arguments);
    }
  }

  /** A file that the machine has as a disk. */
  record Disk(Path file, boolean readOnly) {}

  /** What the program takes beside the machine's memory. */
  int overheadMb();

  /**
   * Has a machine that was just started become the plan's sandbox, with the agent running in it.
   *
   * @param again whether its disk has been in use before
   */
  void begin(CagePlan plan, boolean again, Path monitor, Path control);

  /** A new connection to the agent. */
  ByteChannel connect(Path link) throws IOException;

  /** Writes all that programs have written to the disk, and holds back whoever writes more. */
  void freeze(Path control);

  /** Lets them write again. Does nothing where they can. */
  void thaw(Path control);

  /** Asks every process but the agent to end. */
  void terminate(Path control);

  @Override
  void close();
}
