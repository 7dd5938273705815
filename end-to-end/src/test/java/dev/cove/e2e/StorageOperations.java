package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.BuildListener;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.TemplateBuild;
import dev.cove.sdk.Volume;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** What is done to a server's storage, each with the means to see whether it was done wholly. */
final class StorageOperations {
  static final String FILE = "/home/user/state";
  private static final int DISK_MB = 64;
  private static final int VOLUME_MB = 16;

  private StorageOperations() {}

  /** Something that is done, perhaps in vain, and done again. */
  interface Operation {
    /** Makes what it needs. */
    default void prepare(Cove cove) {}

    void perform(Cove cove);

    /**
     * Fails when it was done by half.
     *
     * @return whether it was done
     */
    boolean examine(Cove cove);

    /** Takes back what it did, if it did it, so that it can be done again. */
    default void undo(Cove cove) {}

    /** Removes what was prepared. */
    default void cleanUp(Cove cove) {}
  }

  private static Sandbox create(Cove cove, String name) {
    return cove.sandboxes().create(CreateOptions.defaults().name(name).diskMb(DISK_MB)).detach();
  }

  private static void deleteAll(Cove cove, String sandboxId) {
    for (SandboxInfo box : cove.sandboxes().list()) {
      if (box.id().equals(sandboxId) || box.parent().equals(Optional.of(sandboxId))) {
        cove.sandboxes().delete(box.id());
      }
    }
    for (Checkpoint one : checkpointsOf(cove, sandboxId)) {
      cove.checkpoints().delete(one.id());
    }
  }

  private static List<Checkpoint> checkpointsOf(Cove cove, String sandboxId) {
    return cove.checkpoints().list().stream()
        .filter(one -> one.sandboxId().equals(sandboxId))
        .toList();
  }

  /** A sandbox whose file says something that it says nowhere else. */
  abstract static class OnSandbox implements Operation {
    String id = "";
    String content = "";

    @Override
    public void prepare(Cove cove) {
      Sandbox box = create(cove, "subject");
      id = box.id();
      content = "state of " + id;
      box.files().write(FILE, content);
    }

    Sandbox box(Cove cove) {
      return cove.sandboxes().require(id);
    }

    void requireIntact(Cove cove) {
      assertThat(box(cove).info().state()).isEqualTo("running");
      assertThat(box(cove).files().readString(FILE)).isEqualTo(content);
    }

    @Override
    public void cleanUp(Cove cove) {
      deleteAll(cove, id);
    }
  }

  /** Nobody but the agent runs, so the layer is the sandbox's own image. */
  static final class TakeCheckpoint extends OnSandbox {
    @Override
    public void perform(Cove cove) {
      box(cove).checkpoint();
    }

    @Override
    public boolean examine(Cove cove) {
      requireIntact(cove);
      List<Checkpoint> found = checkpointsOf(cove, id);
      for (Checkpoint one : found) {
        assertThat(cove.checkpoints().files(one.id()).readString(FILE)).isEqualTo(content);
      }
      return !found.isEmpty();
    }

    @Override
    public void undo(Cove cove) {
      checkpointsOf(cove, id).forEach(one -> cove.checkpoints().delete(one.id()));
    }
  }

  /** A program runs, so the layer is a copy. */
  static final class TakeCheckpointOfBusy extends OnSandbox {
    private final TakeCheckpoint idle = new TakeCheckpoint();

    @Override
    public void prepare(Cove cove) {
      idle.prepare(cove);
      idle.box(cove).spawn(Command.of("sleep", "6000"));
    }

    @Override
    public void perform(Cove cove) {
      idle.perform(cove);
    }

    @Override
    public boolean examine(Cove cove) {
      assertThat(idle.box(cove).processes()).as("what runs in it").hasSize(1);
      return idle.examine(cove);
    }

    @Override
    public void undo(Cove cove) {
      idle.undo(cove);
    }

    @Override
    public void cleanUp(Cove cove) {
      idle.cleanUp(cove);
    }
  }

  static final class DeleteCheckpoint implements Operation {
    private String sandbox = "";
    private String checkpoint = "";

    @Override
    public void prepare(Cove cove) {
      Sandbox box = create(cove, "subject");
      box.files().write(FILE, "kept");
      sandbox = box.id();
      checkpoint = box.checkpoint().id();
      box.delete();
    }

    @Override
    public void perform(Cove cove) {
      if (cove.checkpoints().find(checkpoint).isPresent()) {
        cove.checkpoints().delete(checkpoint);
      }
    }

    @Override
    public boolean examine(Cove cove) {
      if (cove.checkpoints().find(checkpoint).isEmpty()) {
        return true;
      }
      assertThat(cove.checkpoints().files(checkpoint).readString(FILE)).isEqualTo("kept");
      return false;
    }

    @Override
    public void cleanUp(Cove cove) {
      deleteAll(cove, sandbox);
    }
  }

  static final class Restore extends OnSandbox {
    private static final String LATER = "later";
    private final boolean busy;
    private String checkpoint = "";

    /**
     * @param busy whether a program runs, so that the sandbox is built anew
     */
    Restore(boolean busy) {
      this.busy = busy;
    }

    @Override
    public void prepare(Cove cove) {
      super.prepare(cove);
      checkpoint = box(cove).checkpoint().id();
      box(cove).files().write(FILE, LATER);
    }

    @Override
    public void perform(Cove cove) {
      if (busy) {
        box(cove).spawn(Command.of("sleep", "6000"));
      }
      box(cove).restore(checkpoint);
    }

    @Override
    public boolean examine(Cove cove) {
      assertThat(box(cove).info().state()).isEqualTo("running");
      String now = box(cove).files().readString(FILE);
      assertThat(now).isIn(content, LATER);
      assertThat(cove.checkpoints().files(checkpoint).readString(FILE)).isEqualTo(content);
      for (Checkpoint one : checkpointsOf(cove, id)) {
        if (one.reason().equals("before-restore")) {
          assertThat(cove.checkpoints().files(one.id()).readString(FILE)).isEqualTo(LATER);
        }
      }
      return now.equals(content);
    }

    @Override
    public void undo(Cove cove) {
      box(cove).files().write(FILE, LATER);
    }
  }

  static final class ForkSandbox extends OnSandbox {
    @Override
    public void perform(Cove cove) {
      box(cove).fork(3).forEach(fork -> fork.sandbox().detach());
    }

    private List<SandboxInfo> children(Cove cove) {
      return cove.sandboxes().list().stream()
          .filter(box -> box.parent().equals(Optional.of(id)))
          .toList();
    }

    /** A child that nobody heard of is a sandbox like others; it must be a whole one. */
    @Override
    public boolean examine(Cove cove) {
      requireIntact(cove);
      for (SandboxInfo child : children(cove)) {
        assertThat(cove.sandboxes().require(child.id()).files().readString(FILE))
            .isEqualTo(content);
      }
      return children(cove).size() == 3;
    }

    @Override
    public void undo(Cove cove) {
      children(cove).forEach(child -> cove.sandboxes().delete(child.id()));
    }
  }

  /**
   * @param diskMb of a size that no sandbox had before, if its image is to be made
   */
  record CreateSandbox(int diskMb) implements Operation {
    private static final String NAME = "created";

    @Override
    public void perform(Cove cove) {
      cove.sandboxes().create(CreateOptions.defaults().name(NAME).diskMb(diskMb)).detach();
    }

    @Override
    public boolean examine(Cove cove) {
      Optional<Sandbox> found = cove.sandboxes().find(NAME);
      found.ifPresent(box -> assertThat(box.exec("echo", "works").stdout()).isEqualTo("works\n"));
      return found.isPresent();
    }

    @Override
    public void undo(Cove cove) {
      cove.sandboxes().find(NAME).ifPresent(Sandbox::delete);
    }
  }

  /**
   * Makes a template that has {@link #FILE}.
   *
   * @param how is given the template's name
   */
  record MakeTemplate(Maker how) implements Operation {
    private static final String NAME = "made";

    interface Maker {
      void make(Cove cove, String name);
    }

    static MakeTemplate ofSteps() {
      return new MakeTemplate((cove, name) ->
          cove.templates()
              .build(
                  TemplateBuild.from("host")
                      .name(name)
                      .run("echo first > " + FILE)
                      .run("echo second >> " + FILE)));
    }

    static MakeTemplate ofImage(String reference) {
      return new MakeTemplate(
          (cove, name) -> cove.templates().build(TemplateBuild.fromImage(reference).name(name)));
    }

    static MakeTemplate ofArchive(byte[] archive) {
      return new MakeTemplate((cove, name) ->
          cove.templates()
              .importArchive(
                  new ByteArrayInputStream(archive), name, List.of(), BuildListener.silent()));
    }

    static MakeTemplate ofExport(byte[] export) {
      return new MakeTemplate(
          (cove, name) -> cove.moves().take(new ByteArrayInputStream(export), Optional.of(name)));
    }

    @Override
    public void perform(Cove cove) {
      how.make(cove, NAME);
    }

    @Override
    public boolean examine(Cove cove) {
      if (cove.templates().find(NAME).isEmpty()) {
        return false;
      }
      try (Sandbox box = cove.sandboxes().create(CreateOptions.defaults().template(NAME))) {
        assertThat(box.files().readString(FILE)).isEqualTo("first\nsecond\n");
      }
      return true;
    }

    /** With all that the cache has of it, or the next time it would be found there. */
    @Override
    public void undo(Cove cove) {
      if (cove.templates().find(NAME).isPresent()) {
        cove.templates().remove(NAME);
      }
      cove.prune();
    }
  }

  static final class TagTemplate implements Operation {
    private static final String NAME = "tagged";

    @Override
    public void prepare(Cove cove) {
      cove.templates().build(TemplateBuild.from("host").name(NAME).run("echo there > " + FILE));
    }

    @Override
    public void perform(Cove cove) {
      cove.templates().tag(NAME, "stable");
    }

    @Override
    public boolean examine(Cove cove) {
      try (Sandbox box = cove.sandboxes().create(CreateOptions.defaults().template(NAME))) {
        assertThat(box.files().readString(FILE)).isEqualTo("there\n");
      }
      return cove.templates().find(NAME + ":stable").isPresent();
    }

    @Override
    public void undo(Cove cove) {
      if (cove.templates().find(NAME + ":stable").isPresent()) {
        cove.templates().remove(NAME + ":stable");
      }
    }

    @Override
    public void cleanUp(Cove cove) {
      cove.templates().remove(NAME);
      cove.prune();
    }
  }

  /** A sandbox that began with the template goes on. */
  static final class RemoveTemplate implements Operation {
    private static final String NAME = "going";
    private String user = "";

    @Override
    public void prepare(Cove cove) {
      cove.templates().build(TemplateBuild.from("host").name(NAME).run("echo there > " + FILE));
      user = cove.sandboxes().create(CreateOptions.defaults().template(NAME)).detach().id();
    }

    @Override
    public void perform(Cove cove) {
      if (cove.templates().find(NAME).isPresent()) {
        cove.templates().remove(NAME);
      }
    }

    @Override
    public boolean examine(Cove cove) {
      assertThat(cove.sandboxes().require(user).files().readString(FILE)).isEqualTo("there\n");
      return cove.templates().list().stream().noneMatch(one -> one.name().equals(NAME));
    }

    @Override
    public void cleanUp(Cove cove) {
      cove.sandboxes().delete(user);
      cove.prune();
    }
  }

  /** The cache holds what a template that is gone was made of. */
  static final class Prune implements Operation {
    @Override
    public void prepare(Cove cove) {
      MakeTemplate.ofSteps().perform(cove);
      cove.templates().remove(MakeTemplate.NAME);
    }

    @Override
    public void perform(Cove cove) {
      cove.prune();
    }

    @Override
    public boolean examine(Cove cove) {
      return cove.disk().items().stream().noneMatch(item -> item.kind().equals("build cache"));
    }
  }

  static final class Import implements Operation {
    private final byte[] export;
    private final String content;

    /**
     * @param export a checkpoint with that content
     */
    Import(byte[] export, String content) {
      this.export = export.clone();
      this.content = content;
    }

    @Override
    public void perform(Cove cove) {
      cove.moves().take(new ByteArrayInputStream(export), Optional.empty());
    }

    private static List<Checkpoint> imported(Cove cove) {
      return cove.checkpoints().list().stream()
          .filter(one -> one.reason().equals("imported"))
          .toList();
    }

    @Override
    public boolean examine(Cove cove) {
      for (Checkpoint one : imported(cove)) {
        assertThat(cove.checkpoints().files(one.id()).readString(FILE)).isEqualTo(content);
      }
      return !imported(cove).isEmpty();
    }

    @Override
    public void undo(Cove cove) {
      imported(cove).forEach(one -> cove.checkpoints().delete(one.id()));
    }
  }

  static final class CreateVolume implements Operation {
    private static final String NAME = "created";

    @Override
    public void perform(Cove cove) {
      cove.volumes().create(NAME, VOLUME_MB);
    }

    @Override
    public boolean examine(Cove cove) {
      Optional<Volume> found = cove.volumes().find(NAME);
      found.ifPresent(volume -> {
        cove.volumes().files(NAME).write("/file", "usable");
        assertThat(cove.volumes().files(NAME).readString("/file")).isEqualTo("usable");
      });
      return found.isPresent();
    }

    @Override
    public void undo(Cove cove) {
      cove.volumes().find(NAME).ifPresent(volume -> cove.volumes().delete(volume.id()));
    }
  }

  /** A sandbox writes to the volume all the while. */
  static final class CopyVolume implements Operation {
    private static final String NAME = "copied";
    private final Consumer<Cove> copy;
    private final Function<Cove, List<Volume>> copies;
    private String writer = "";

    private CopyVolume(Consumer<Cove> copy, Function<Cove, List<Volume>> copies) {
      this.copy = copy;
      this.copies = copies;
    }

    static CopyVolume asCheckpoint() {
      return new CopyVolume(
          cove -> cove.volumes().checkpoint(NAME), cove -> cove.volumes().checkpoints(NAME));
    }

    static CopyVolume asFork() {
      return new CopyVolume(
          cove -> cove.volumes().fork(NAME, NAME + "-fork"),
          cove -> cove.volumes().find(NAME + "-fork").stream().toList());
    }

    @Override
    public void prepare(Cove cove) {
      cove.volumes().create(NAME, VOLUME_MB);
      Sandbox box =
          cove.sandboxes().create(CreateOptions.defaults().volume(NAME, "/data")).detach();
      writer = box.id();
      box.files().write("/data/file", "in the volume");
    }

    @Override
    public void perform(Cove cove) {
      copy.accept(cove);
    }

    @Override
    public boolean examine(Cove cove) {
      Sandbox box = cove.sandboxes().require(writer);
      box.files().write("/data/other", "not frozen");
      assertThat(box.files().readString("/data/file")).isEqualTo("in the volume");
      for (Volume one : copies.apply(cove)) {
        assertThat(cove.volumes().files(one.id()).readString("/file")).isEqualTo("in the volume");
      }
      return !copies.apply(cove).isEmpty();
    }

    @Override
    public void undo(Cove cove) {
      copies.apply(cove).forEach(one -> cove.volumes().delete(one.id()));
    }

    @Override
    public void cleanUp(Cove cove) {
      cove.sandboxes().delete(writer);
      cove.volumes().delete(NAME);
    }
  }

  static final class DeleteVolume implements Operation {
    private static final String NAME = "deleted";

    @Override
    public void prepare(Cove cove) {
      cove.volumes().create(NAME, VOLUME_MB);
      cove.volumes().files(NAME).write("/file", "there");
    }

    @Override
    public void perform(Cove cove) {
      cove.volumes().find(NAME).ifPresent(volume -> cove.volumes().delete(volume.id()));
    }

    @Override
    public boolean examine(Cove cove) {
      if (cove.volumes().find(NAME).isEmpty()) {
        return true;
      }
      assertThat(cove.volumes().files(NAME).readString("/file")).isEqualTo("there");
      return false;
    }
  }
}
