package dev.cove.engine.container;

import dev.cove.model.Resources;
import java.nio.file.Path;
import java.util.List;

/**
 * A program of the host's that brings the agent up in a cage, instead of the spawner: an OCI
 * runtime. Folders, records, ids, cgroups, disk, network and link are those of every cage.
 */
public interface Launcher {
  /** The folder of a cage's bundle, as the program sees it: {@code config.json} and the rest. */
  Path BUNDLE = Path.of("/mnt");

  /** The root file system, put together, with its ids as the sandbox's user namespace has them. */
  Path ROOT = BUNDLE.resolve("rootfs");

  /** Where the program may keep what it wants to know; empty, and gone with the cage. */
  Path STATE = BUNDLE.resolve("state");

  /** The agent and Cove's own commands; meant for {@link #COMMANDS_INSIDE}. */
  Path COMMANDS = BUNDLE.resolve("cove");

  /** Where programs inside find them. */
  String COMMANDS_INSIDE = "/dev/cove";

  /**
   * What is known of a cage before it is built.
   *
   * @param firstId the host's number of id 0 inside; 65536 follow each other
   * @param rootCapabilities what commands of root keep, as bits
   * @param agentCapabilities what the agent has
   */
  record Wanted(
      String id,
      int firstId,
      long shmBytes,
      Resources resources,
      long rootCapabilities,
      long agentCapabilities) {}

  /** The content of {@code config.json}. */
  String config(Wanted wanted);

  /**
   * What is run as root of the host in the cage's namespaces, with the mounts of the host and the
   * bundle. Its stdin is the socket over which connections are handed to the agent.
   */
  List<String> command(String id);

  /** What the host must allow the cage, so that programs inside have what was asked for. */
  Resources limits(Resources asked);
}
