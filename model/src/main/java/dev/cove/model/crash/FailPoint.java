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
  /** The agent runs, and the sandbox's folder does not say which process it is. */
  CAGE_STARTED,
  /** The sandbox runs, and its row still says that it starts. */
  CREATE_STARTED,

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
  /** Its files are whole, and not yet sure to be on the disk. */
  HALT_SETTLED,
  /** Nothing of the cage is left but the files, and nobody has heard of it. */
  STOP_HALTED,
  /** The sandbox runs again, and its row says that it is stopped. */
  START_BUILT,
  /** Its services run, and its row says that it is stopped. */
  START_SERVED,

  /** The row says that a sandbox is to go, and all of it is there. */
  DELETE_RECORDED,
  /** Nothing of the sandbox is there but its row. */
  DELETE_TAKEN_APART,

  /** A cage stands that no row knows. */
  WARM_CAGE_BUILT,
  /** A warm cage is taken, and no row knows it. */
  WARM_CAGE_TAKEN,

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
