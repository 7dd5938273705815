package dev.cove.node;

import dev.cove.engine.EngineReport;
import dev.cove.guest.Guest;
import dev.cove.guest.TcpStream;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.StopReason;
import dev.cove.model.Tier;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One machine that runs sandboxes. Control decides, a node carries out.
 *
 * <p>An interface because it is a trust boundary: control may come to sit on another machine.
 */
public interface Node extends AutoCloseable {
  /**
   * Brings world and ledger together after a start: adopts what still runs, ends what should not,
   * removes what the ledger does not know. Called once, before anything else. The files of a
   * sandbox that the ledger knows are never removed while they are whole.
   *
   * @param expected the sandboxes that the ledger says have something on this host
   * @return how those of which something is there are now; of the others nothing is left
   */
  Map<SandboxId, Presence> recover(Map<SandboxId, Expected> expected);

  /** Whether something of it runs here, be it paused. */
  boolean runs(SandboxId id);

  /**
   * Callers can come from now on. What makes their creations fast is prepared only now: nobody
   * should wait for it.
   */
  default void begin() {}

  /** How much of a sandbox there is. */
  enum Presence {
    RUNNING,
    /** Every process stands still, memory is kept. */
    PAUSED,
    /** Files alone. */
    STOPPED
  }

  /** What the ledger says about one sandbox. */
  record Expected(SandboxSpec spec, Presence presence) {}

  /** Tells when a running sandbox ends without having been asked to. Set before recover. */
  void onLost(LostListener listener);

  /** Tells when somebody has work for a paused sandbox and waits. */
  void onWanted(Consumer<SandboxId> listener);

  /**
   * Tells when somebody inside a sandbox wants a checkpoint of it. Until it is set, they are
   * refused.
   */
  void onCheckpointAsked(CheckpointListener listener);

  /**
   * Finds room for a sandbox and gives it an id. Either {@link #start} or {@link #remove} must
   * follow.
   *
   * @throws CoveException NO_ROOM when the machine is full, UNSUPPORTED when this host cannot give
   *     what the spec asks for, INVALID_REQUEST for an unknown template
   */
  Reservation reserve(SandboxSpec spec, List<LayerId> layers);

  /**
   * Makes a reserved sandbox run. Returns when its agent has answered.
   *
   * @param layers what earlier sandboxes wrote over the template, the uppermost first
   */
  void start(SandboxId id, SandboxSpec spec, List<LayerId> layers);

  /** Makes every process of a sandbox stand still. Does nothing where they do. */
  void pause(SandboxId id);

  /**
   * What has happened in a running sandbox so far. Cheap, and asks nobody inside; empty where none
   * runs.
   */
  Optional<Activity> activity(SandboxId id);

  /**
   * Does the same as {@link #pause} if nothing has happened since: nobody has come, and nothing has
   * passed. Whoever comes later waits, and is told of by {@link #onWanted}.
   *
   * @return false when something has, and it runs on
   */
  boolean pauseUnless(SandboxId id, Activity seen);

  /** Takes back {@link #pause}; returns when the agent can be asked. Does nothing where it runs. */
  void resume(SandboxId id);

  /**
   * Ends the processes of a running or paused sandbox and keeps its files; its place is free then.
   * Does nothing where none runs.
   *
   * @param grace how long they may take after they were asked to end
   */
  void stop(SandboxId id, Duration grace);

  /**
   * Starts a stopped sandbox on its files. When it throws, it is stopped as before.
   *
   * @throws CoveException NO_ROOM when the machine is full, LAYER_DAMAGED when the files cannot be
   *     used
   */
  void restart(SandboxId id, SandboxSpec spec);

  /**
   * Makes a layer of what a running or paused sandbox has written. When it throws, there is no
   * layer to build on, and the sandbox runs on with its files as they were.
   */
  Sealed seal(SandboxId id);

  /**
   * Makes a layer as {@link #seal} does, but always a copy: the sandbox stands on what it stood on.
   */
  Sealed copy(SandboxId id);

  /**
   * Starts a small cage in which nothing runs but the agent, so that files can be looked at without
   * a sandbox. It takes nobody's place, is ended by {@link #remove} and by {@link #close}, and its
   * layers stay for as long as it is there.
   *
   * @param scene over the base, or the layers alone
   */
  SandboxId show(Scene scene, Base base, List<LayerId> layers);

  /**
   * Ends the processes of a running or paused sandbox and starts it over other layers; what it had
   * written since it was last sealed is gone. Where that fails it is started over the layers before
   * instead, and the failure thrown.
   */
  void rebuild(SandboxId id, SandboxSpec spec, List<LayerId> layers, List<LayerId> layersBefore);

  /**
   * Starts a sandbox that was being rebuilt when this process's predecessor ended, and of which
   * {@link #recover} found nothing that runs; it has its place like one that was adopted.
   */
  void revive(SandboxId id, SandboxSpec spec, List<LayerId> layers);

  /**
   * Returns when all of these layers were found to be what was sealed.
   *
   * @throws CoveException LAYER_DAMAGED when one is not, naming it
   */
  void verifyLayers(SandboxSpec spec, List<LayerId> layers);

  /**
   * What must be known of a layer to have it on another machine; it has been verified.
   *
   * @throws CoveException LAYER_DAMAGED when it is not what was sealed
   */
  LayerDescription describeLayer(LayerId layer);

  void exportLayer(LayerId layer, OutputStream out) throws IOException;

  /**
   * Makes a layer of what {@link #exportLayer} wrote, here or elsewhere, and nothing when it is not
   * what was promised.
   */
  void importLayer(LayerId layer, LayerDescription promised, InputStream in) throws IOException;

  /** Hands out the files of one thing, for a home that is made of them on this or another host. */
  void backup(Kept kept, FileSink sink) throws IOException;

  /** Something on a node's disk. */
  sealed interface Kept {
    record Layer(LayerId layer) implements Kept {}

    record Volume(VolumeId volume) implements Kept {}

    /**
     * A sandbox, as if it were stopped.
     *
     * @param layers as {@link #copy} gave them: what it has written, and what that lies over
     */
    record Disk(SandboxId id, Base base, List<LayerId> layers) implements Kept {
      public Disk {
        layers = List.copyOf(layers);
      }
    }
  }

  /** The parts that a layer over that base has on this machine. */
  List<String> partsOf(Base base);

  /** Names the content of a layer; nothing in the first moments after it was made. */
  Optional<String> digest(LayerId layer);

  /**
   * Removes every layer that is neither among these nor under a sandbox of this node.
   *
   * @return how much of the disk this gave back
   */
  long keepLayers(Set<LayerId> recorded);

  /** What there is on the disk. */
  NodeDisk disk();

  /** How full the disk is; cheaper than {@link #disk}. */
  NodeDisk.Space diskSpace();

  /** How still a running sandbox is; empty when something runs or is being done in it. */
  Optional<Stillness> stillness(SandboxId id);

  NodeVolumes volumes();

  NodeNetworks networks();

  NodeSecrets secrets();

  /** None, where a node has no files but its own. */
  default NodeWorkspaces workspaces() {
    return NoWorkspaces.HERE;
  }

  /** Ends a sandbox and removes everything of it. Does nothing if there is none. */
  void remove(SandboxId id);

  /**
   * The agent of a running sandbox.
   *
   * @throws CoveException CONFLICT when it does not run, GUEST_UNREACHABLE when it does not answer
   */
  Guest guest(SandboxId id);

  /**
   * Connects to a TCP port on a sandbox's loopback, IPv4 first and then IPv6. It ends with the
   * sandbox's processes; one that is paused is woken by whatever is written to it.
   *
   * @throws CoveException CONFLICT when the sandbox does not run, GUEST_REFUSED when nothing
   *     listens there, TOO_MANY_REQUESTS when there are too many of them
   */
  TcpStream connect(SandboxId id, int port);

  SandboxMetrics metrics(SandboxId id);

  /**
   * What was counted of a sandbox up to now. Wakes nobody and asks nobody inside: some small reads.
   */
  Reading reading(SandboxId id);

  /**
   * Tells what a sandbox has used in all, when its last process has ended and before what counted
   * it goes. Must not throw. Set before recover, which may find cages that ended meanwhile.
   */
  void onEnded(EndListener listener);

  /**
   * How many processes of a sandbox the kernel has killed at its memory limit, ever. Cheap: a
   * command that ended by SIGKILL while this grew ran out of memory.
   */
  long oomKills(SandboxId id);

  /** Capacity and what is in use, for operators. */
  NodeStatus status();

  /** What each tier is on this machine, the cheapest first, also those that are not usable. */
  Map<Tier, EngineReport> engines();

  /** Lets go of everything and leaves the sandboxes running; what only shows files ends. */
  @Override
  void close();

  /**
   * A place for a sandbox.
   *
   * @param warm its cage stands already and has the right limits
   */
  record Reservation(SandboxId id, boolean warm) {}

  /**
   * A layer that was made.
   *
   * @param layers what a new sandbox must stand on to see what the source had written
   * @param bytes what the layer takes on the disk
   * @param frozen for how long the source's processes stood still
   * @param copied whether the layer is a copy, and the source keeps its own
   * @param still how still the source was, if it was
   */
  record Sealed(
      List<LayerId> layers,
      long bytes,
      Duration frozen,
      boolean copied,
      Optional<Stillness> still) {}

  /**
   * A sandbox in which nothing runs but an agent that has nothing to do. While it stays equal,
   * nothing can have changed inside.
   *
   * @param link which of the links to the agent
   * @param calls how many calls it has had
   */
  record Stillness(long link, int calls) {}

  /**
   * What has happened in a sandbox: numbers that only grow, for somebody who compares.
   *
   * @param link which of the links to the agent
   * @param calls how many calls it has had
   * @param attended whether somebody is attached to a command, watches files or waits for an answer
   * @param traffic how much has passed over ports, between groups and to the world
   * @param cpu what its processes have used
   */
  record Activity(long link, int calls, boolean attended, long traffic, Duration cpu) {
    /** Whether nobody came and nothing passed between the two, and nobody is there. */
    public boolean quietSince(Activity before) {
      return !attended && link == before.link && calls == before.calls && traffic == before.traffic;
    }
  }

  /** What is seen in a cage that only shows files. */
  enum Scene {
    /** What a sandbox would see. */
    WHOLE,
    /** Only what the layers themselves hold. */
    LAYERS_ALONE
  }

  /** Hears that somebody inside a sandbox wants a checkpoint of it, who may be hostile. */
  @FunctionalInterface
  interface CheckpointListener {
    /**
     * @param name as it was given inside
     * @return the checkpoint's id
     * @throws CoveException to refuse; its message is shown inside
     */
    String checkpointAsked(SandboxId id, String name);
  }

  /** Hears what a sandbox, or a cage that was nobody's, has used until its end. */
  @FunctionalInterface
  interface EndListener {
    void ended(SandboxId id, Reading last);
  }

  /** Hears that a sandbox has ended by itself. */
  @FunctionalInterface
  interface LostListener {
    /**
     * @param filesKept whether it can be started again
     */
    void lost(SandboxId id, StopReason reason, boolean filesKept);
  }
}
