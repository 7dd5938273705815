package dev.cove.engine.container;

import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A question to the spawner, as {@code main.c} reads it. */
sealed interface SpawnerRequest {
  /** Completes the sentence "Could not …". */
  String purpose();

  int operation();

  void writeTo(Fields fields);

  /**
   * Builds a cage.
   *
   * @param baseImage the name of the image to start from, or empty for a plain folder
   * @param again whether the sandbox has a writable layer already, which is taken instead
   * @param command of what brings the agent up; empty where the spawner does
   */
  record Start(
      SandboxId id,
      int firstId,
      long shmBytes,
      String baseImage,
      RootFs root,
      List<VolumeImages.Attachment> volumes,
      boolean again,
      List<String> command)
      implements SpawnerRequest {
    static final int MAX_LAYERS = 64;
    static final int MAX_GRAFTS = 16;

    Start with(List<VolumeImages.Attachment> newVolumes) {
      return new Start(id, firstId, shmBytes, baseImage, root, newVolumes, again, command);
    }

    Start on(RootFs newRoot) {
      return new Start(id, firstId, shmBytes, baseImage, newRoot, volumes, again, command);
    }

    @Override
    public String purpose() {
      return "start sandbox " + id;
    }

    @Override
    public int operation() {
      return 1;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(firstId).putLong(shmBytes).putText(id.value()).putText(baseImage);
      fields.putShort(root.layers().size());
      root.layers().forEach(layer -> fields.putText(layer.toString()));
      fields.putShort(root.grafts().size());
      for (var graft : root.grafts()) {
        fields.putText(graft.target()).putText(graft.source().toString());
      }
      fields.putShort(root.sealed().size());
      root.sealed().forEach(layer -> fields.putText(layer.value()));
      fields.putShort(volumes.size());
      for (var attachment : volumes) {
        fields.putText(attachment.mount().volume().value()).putInt(attachment.loopDevice());
        fields.putText(attachment.mount().target());
        fields.putShort(attachment.mount().readOnly() ? 1 : 0);
      }
      fields.putShort(root.workspaces().size());
      for (var workspace : root.workspaces()) {
        fields.putText(workspace.key()).putText(workspace.target());
        fields.putText(workspace.source().toString()).putShort(workspace.readOnly() ? 1 : 0);
      }
      fields.putShort(again ? 1 : 0);
      fields.putShort(command.size());
      command.forEach(fields::putText);
    }
  }

  /** Starts a machine that goes on with memory which the spawner has. */
  record StartMachine(SandboxId id, int user, Machines.Launch launch) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "start the machine of sandbox " + id;
    }

    @Override
    public int operation() {
      return 20;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(id.value()).putInt(user).putText(launch.memory());
      fields.putText(launch.state().toString()).putShort(launch.parts().size());
      launch.parts().forEach(part -> fields.putText(part.toString()));
      fields.putShort(launch.disks().size());
      launch
          .disks()
          .forEach(
              disk -> fields.putText(disk.file().toString()).putShort(disk.readOnly() ? 1 : 0));
      fields.putShort(launch.arguments().size());
      launch.arguments().forEach(fields::putText);
    }
  }

  /** Reads the memory of a machine, for any number of machines to go on with. */
  record LoadMemory(String name, Path file) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "load the memory of a machine";
    }

    @Override
    public int operation() {
      return 21;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(name).putText(file.toString());
    }
  }

  /** Lets go of what {@link LoadMemory} has read; machines that go on with it keep it. */
  record ForgetMemory(String name) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "let go of the memory of a machine";
    }

    @Override
    public int operation() {
      return 22;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(name);
    }
  }

  /** Mounts a sealed image where cages can be built on it, or takes it down. */
  record Shelve(LayerId layer, boolean put) implements SpawnerRequest {
    @Override
    public String purpose() {
      return (put ? "open layer " : "close layer ") + layer;
    }

    @Override
    public int operation() {
      return put ? 6 : 7;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(layer.value());
    }
  }

  /**
   * Makes one layer of several.
   *
   * @param baseImage the name of an empty image in which all of them have room
   * @param parts how many parts each has
   * @param layers the uppermost first
   */
  record Merge(LayerId into, String baseImage, int parts, List<LayerId> layers)
      implements SpawnerRequest {
    @Override
    public String purpose() {
      return "merge %d layers".formatted(layers.size());
    }

    @Override
    public int operation() {
      return 14;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(into.value()).putText(baseImage).putShort(parts).putShort(layers.size());
      layers.forEach(layer -> fields.putText(layer.value()));
    }
  }

  /**
   * Shows what was written, in the mount namespace of a process that waits for its end. Answers
   * with its id.
   *
   * @param id whose image, or nobody's
   * @param loopDevice at which the image is in use, or -1
   * @param layers sealed ones, which are mounted
   */
  record Reach(Optional<SandboxId> id, int loopDevice, List<LayerId> layers)
      implements SpawnerRequest {
    @Override
    public String purpose() {
      return "show what was written";
    }

    @Override
    public int operation() {
      return 16;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(loopDevice).putText(id.map(SandboxId::value).orElse("none"));
      fields.putShort(layers.size());
      layers.forEach(layer -> fields.putText(layer.value()));
    }
  }

  /** Work on the image of a running sandbox, of which a layer is made. */
  record OnImage(Work work, SandboxId id, CageRecord.Running running, LayerId layer)
      implements SpawnerRequest {
    enum Work {
      /** Writes it to the disk, as far as that can be done while it is in use. */
      SYNC(8, "flush the disk"),
      /** Copies the image of a sandbox that stands still. Answers with its bytes. */
      COPY(9, "copy the disk"),
      /** Takes back a {@link SealMove} that did not come to its end. */
      UNDO_MOVE(11, "put back the disk");

      private final int operation;
      private final String words;

      Work(int operation, String words) {
        this.operation = operation;
        this.words = words;
      }
    }

    @Override
    public String purpose() {
      return work.words + " of sandbox " + id;
    }

    @Override
    public int operation() {
      return work.operation;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(running.process().pid()).putInt(running.loopDevice());
      fields.putText(id.value()).putText(layer.value());
    }
  }

  /**
   * Seals the image of a sandbox that stands still and puts it on a fresh one. Answers with the
   * bytes of the one and the loop device of the other.
   *
   * @param next as for a start, with the new layer uppermost
   */
  record SealMove(CageRecord.Running running, LayerId layer, Start next) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "seal the disk of sandbox " + next.id();
    }

    @Override
    public int operation() {
      return 10;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(running.process().pid()).putInt(running.loopDevice());
      fields.putText(next.id().value()).putText(layer.value());
      next.writeTo(fields);
    }
  }

  /**
   * Drops what a sandbox that stands still has written, and puts it on a fresh image over other
   * layers. Answers with the loop device of that. Refused where programs that have ended left
   * something in memory.
   */
  record ChangeRoot(CageRecord.Running running, Start next) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "change the root of sandbox " + next.id();
    }

    @Override
    public int operation() {
      return 15;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(running.process().pid()).putInt(running.loopDevice());
      fields.putText(next.id().value()).putText("none");
      next.writeTo(fields);
    }
  }

  /**
   * Copies the image of a volume, which is frozen meanwhile.
   *
   * @param loopDevice at which it is in use, or -1
   * @param copy the name of the file to make
   */
  record CopyVolume(VolumeId volume, int loopDevice, String copy) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "copy volume " + volume;
    }

    @Override
    public int operation() {
      return 12;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(volume.value()).putInt(loopDevice).putText(copy);
    }
  }

  /** Takes back the freeze of a {@link CopyVolume} that did not come to its end. */
  record ThawVolume(VolumeId volume, int loopDevice) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "thaw volume " + volume;
    }

    @Override
    public int operation() {
      return 13;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(volume.value()).putInt(loopDevice);
    }
  }

  /** Asks for the news of a process's end. */
  record Watch(ProcessKey process) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "watch process " + process.pid();
    }

    @Override
    public int operation() {
      return 2;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(process.pid()).putLong(process.startTime());
    }
  }

  /**
   * Drops what the image has not written yet, and sends SIGKILL; a process that is gone is no
   * error.
   */
  record Kill(SandboxId id, CageRecord.Running running) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "end sandbox " + id;
    }

    @Override
    public int operation() {
      return 3;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(running.process().pid()).putLong(running.process().startTime());
      fields.putInt(running.loopDevice()).putText(id.value());
    }
  }

  /** Keeps copies of a base image mounted and ready. */
  record KeepSpares(String baseImage, int count) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "keep spare images";
    }

    @Override
    public int operation() {
      return 5;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putText(baseImage).putInt(count);
    }
  }

  /** Asks for used bytes, all bytes, used inodes and all inodes of a sandbox's image. */
  record Measure(SandboxId id, int loopDevice) implements SpawnerRequest {
    @Override
    public String purpose() {
      return "measure the disk of sandbox " + id;
    }

    @Override
    public int operation() {
      return 4;
    }

    @Override
    public void writeTo(Fields fields) {
      fields.putInt(loopDevice).putText(id.value());
    }
  }

  default byte[] frame(int seq) {
    var fields = new Fields().putInt(0).putInt(seq).putByte(operation());
    writeTo(fields);
    byte[] frame = fields.bytes.toByteArray();
    ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(frame.length - Integer.BYTES);
    return frame;
  }

  /** Fields in the byte order of the machines Cove runs on. */
  final class Fields {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);

    private Fields() {}

    Fields putByte(int value) {
      bytes.write(value);
      return this;
    }

    Fields putShort(int value) {
      return putByte(value).putByte(value >> 8);
    }

    Fields putInt(int value) {
      return putShort(value).putShort(value >> 16);
    }

    Fields putLong(long value) {
      return putInt((int) value).putInt((int) (value >> 32));
    }

    Fields putText(String value) {
      byte[] text = value.getBytes(StandardCharsets.UTF_8);
      if (text.length > 4_095 || value.indexOf('\0') >= 0) {
        throw new IllegalArgumentException("A path is longer than 4095 bytes or holds a NUL");
      }
      putShort(text.length);
      bytes.writeBytes(text);
      return putByte(0);
    }
  }
}
