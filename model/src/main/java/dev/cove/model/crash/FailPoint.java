package dev.cove.model.crash;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A moment between two durable steps, at which a test can end the process as {@code kill -9} would.
 *
 * <p>One of them is armed by {@code -Dcove.failPoint=NAME} on the command line of the JVM, or
 * {@code NAME:3} for the third time that it is reached. It is a property and no variable because
 * variables are inherited by whatever one starts. Without it, all of this is a look at an empty
 * constant.
 */
public enum FailPoint {
  /** A disk image of a new size has a file system and not yet its name. */
  BASE_IMAGE_FORMATTED,

  /** The row says that a sandbox starts, and nothing of it is there. */
  CREATE_RECORDED,
  /** A block of user ids is this home's, and no sandbox has any of them. */
  IDS_CLAIMED,
  /** The sandbox's folder says which ids it has, and nothing else is there. */
  CAGE_RECORDED,
  /** Its cgroups are there, and nothing runs in them. */
  CAGE_LIMITED,
  /** The agent runs, and the sandbox's folder does not say which process it is. */
  CAGE_STARTED,
  /** The folder says it, and nobody has spoken to the agent. */
  CAGE_WRITTEN_DOWN,
  /** A record of the sandbox's folder lies beside the one that it is to replace. */
  RECORD_WRITTEN,
  /** The sockets of its network are open inside, and nobody serves them. */
  NETWORK_OPENED,
  /** The agent answers, and nobody knows the sandbox. */
  CAGE_LINKED,
  /** The sandbox runs, and its row still says that it starts. */
  CREATE_STARTED,
  /** The row says that the sandbox runs, and nobody has heard of it. */
  CREATE_ENTERED,
  /** Its start command runs, and nobody has heard of it. */
  CREATE_SERVED,

  /** The row says that the sandbox is paused, and it runs. */
  PAUSE_RECORDED,
  /** The sandbox stands still, and nobody has heard of it. */
  PAUSE_FROZEN,
  /** The row says that the sandbox runs, and it stands still. */
  RESUME_RECORDED,
  /** The sandbox runs again, and nobody has heard of it. */
  RESUME_THAWED,

  /** The row says that the sandbox is stopped, and it runs. */
  STOP_RECORDED,
  /** Its processes were asked to end. */
  STOP_ASKED,
  /** Its processes are gone, and nothing else of the cage. */
  HALT_ENDED,
  /** What a cage has used is written down, and its groups, which count it, are there. */
  CAGE_COUNTED,
  /** Its files are whole, and not yet sure to be on the disk. */
  HALT_SETTLED,
  /** Nothing of the cage is left but the files, and nobody has heard of it. */
  STOP_HALTED,
  /** The sandbox runs again, and its row says that it is stopped. */
  START_BUILT,
  /** Its services run, and its row says that it is stopped. */
  START_SERVED,

  /** After a start the world is in order, and the rows still tell of the time before. */
  RECOVERY_FOUND,
  /** The rows are in order, and what is to start again after a restart of the host has not. */
  RECOVERY_SETTLED,

  /** The row says that a sandbox is deleted and kept for a while, and it runs. */
  DISCARD_RECORDED,
  /** Nothing of the deleted sandbox is left but the files, and nobody has heard of it. */
  DISCARD_HALTED,
  /** The row says that the sandbox is there again, and nobody has heard of it. */
  UNDELETE_RECORDED,

  /** The row says that a service is about to be started, and no process is there. */
  SERVICE_ANNOUNCED,
  /** The process of a service is there, and its row does not say which it is. */
  SERVICE_STARTED,

  /** The row says that a sandbox is to go, and all of it is there. */
  DELETE_RECORDED,
  /** Its processes are gone; cgroups, socket and files are there. */
  CAGE_ENDED,
  /** Its cgroups are gone too. */
  CAGE_UNLIMITED,
  /** Its folder is gone too, and what is kept of its network is there. */
  CAGE_REMOVED,
  /** Nothing of the sandbox is there but its row. */
  DELETE_TAKEN_APART,
  /** The row may be gone, and nobody has heard of it. */
  DELETE_FORGOTTEN,

  /** All of a backup is unpacked beside the home, which is as it was. */
  BACKUP_UNPACKED,
  /** It has the name that what is there before will have, and the home is as it was. */
  BACKUP_BESIDE,

  /** A cage stands that no row knows. */
  WARM_CAGE_BUILT,
  /** A warm cage has the limits of whoever is to have it, and is nobody's. */
  WARM_CAGE_FITTED,
  /** A warm cage is taken, and no row knows it. */
  WARM_CAGE_TAKEN,

  /** A sandbox trusts its own authority, and its row says nothing that needs one. */
  NETWORK_TRUSTED,
  /** The row says what the sandbox may reach, and what was before still holds. */
  NETWORK_RECORDED,

  /** A layer has its record and no image. */
  SEAL_PREPARED,
  /** The sandbox stands still. */
  SEAL_FROZEN,
  /** The note says that the image is about to become a layer. */
  SEAL_NOTED,
  /** The sandbox stands on the new layer, and nothing but the note says so. */
  SEAL_MOVED,
  /** What it stands on is written down, and not which device it has. */
  SEAL_ROOT_WRITTEN,
  /** All is written down, and the note is still there. */
  SEAL_DEVICE_WRITTEN,
  /** All is written down, and the sandbox still stands still. */
  SEAL_NOTE_REMOVED,
  /** The layer is a copy of which nobody knows. */
  SEAL_COPIED,
  /** The layer is on the disk, and no row points to it. */
  SEAL_FORCED,
  /** A layer's record with the digest lies beside the one without. */
  DIGEST_WRITTEN,

  /** The checkpoint has its row, and nobody has heard of it. */
  CHECKPOINT_RECORDED,
  /** The checkpoint's row is gone, and its layers are there. */
  CHECKPOINT_FORGOTTEN,

  /** The way back is there. */
  RESTORE_UNDO_TAKEN,
  /** The ledger says that the sandbox is being built anew. */
  RESTORE_ANNOUNCED,
  /** A note says that the sandbox's root is about to be changed. */
  CHANGE_NOTED,
  /** The sandbox stands on its new root, and nothing but the note says so. */
  CHANGE_MADE,
  /** All is written down, and the note is still there. */
  CHANGE_WRITTEN,
  /** Nothing runs: the old cage is gone and the new one not yet there. */
  RESTORE_CAGE_REMOVED,
  /** The new cage runs, and the ledger still says that it is being built. */
  RESTORE_REBUILT,

  /** The layers of a fork are held by nothing but memory. */
  FORK_PINNED,
  /** One of a fork's sandboxes runs. */
  FORK_CHILD_MADE,

  /** An upload is in the spool. */
  UPLOAD_KEPT,
  /** A layer of an image lies unpacked in a workplace. */
  IMAGE_LAYER_UNPACKED,
  /** A step's layer is made, and no row points to it. */
  STEP_SEALED,
  /** The cache knows a step's layer. */
  STEP_RECORDED,
  /** All layers are there, and the template has no row. */
  BUILD_FINISHED,
  /** The template has its row, and nobody has heard of it. */
  TEMPLATE_RECORDED,
  TEMPLATE_TAGGED,
  /** The template's row is gone, and its layers are there. */
  TEMPLATE_FORGOTTEN,

  /** A layer from elsewhere has its image and no digest. */
  IMPORT_IMAGE_WRITTEN,
  /** A layer from elsewhere is complete, and no row points to it. */
  IMPORT_LAYER_TAKEN,

  /** The cache is empty, and its layers are there. */
  PRUNE_CACHE_CLEARED,
  /** A layer's image is gone, and its record is there. */
  LAYER_IMAGE_REMOVED,
  /** Some of the layers that nobody needs are gone. */
  LAYER_REMOVED,

  /** A volume has a file system and not yet its name. */
  VOLUME_FORMATTED,
  /** A volume's copy is complete and has not yet its name. */
  VOLUME_COPIED,
  /** A volume has its name, and no row points to it. */
  VOLUME_NAMED,
  /** The volume has its row, and nobody has heard of it. */
  VOLUME_RECORDED,
  /** The volume's row is gone, and its image is there. */
  VOLUME_FORGOTTEN,

  /** All contents of an apply are in its journal, and no list of steps. */
  APPLY_STAGED,
  /** The journal says what is going to be applied, and the host is as it was. */
  APPLY_ANNOUNCED,
  /** A new version is written, and not in its place. */
  APPLY_BESIDE,
  /** A new version is in its place, or an old one gone from it; what was there is kept aside. */
  APPLY_PLACED,
  /** All is in its place, and the journal says that it is still to be done. */
  APPLY_SETTLED,
  /** The journal says that all is to be as it was, and some of it is not. */
  APPLY_TURNED,

  /** A webhook has taken an event, and the ledger does not know. */
  WEBHOOK_TOLD;

  public static final String PROPERTY = "cove.failPoint";

  /** Tells an end that was asked for from any other. */
  public static final int EXIT_CODE = 86;

  private static final AtomicInteger TIMES = new AtomicInteger(1);
  private static final Optional<FailPoint> ARMED =
      Optional.ofNullable(System.getProperty(PROPERTY)).map(FailPoint::arm);

  private static FailPoint arm(String setting) {
    String[] words = setting.split(":", 2);
    FailPoint point = valueOf(words[0]);
    if (words.length == 2) {
      TIMES.set(Integer.parseInt(words[1]));
    }
    System.err.printf("This process will end at %s, because -D%s says so%n", point, PROPERTY);
    return point;
  }

  /** Says that this moment has come. Does not return where a test wants the process to end here. */
  public void reached() {
    if (ARMED.isPresent() && ARMED.get() == this && TIMES.decrementAndGet() == 0) {
      System.err.printf("The process ends at %s, because -D%s says so%n", this, PROPERTY);
      Runtime.getRuntime()
          .halt(EXIT_CODE); // no hooks, no closing: what kill -9 leaves, this leaves
    }
  }
}
