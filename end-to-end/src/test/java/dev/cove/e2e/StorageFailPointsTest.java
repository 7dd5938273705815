package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.StorageOperations.CopyVolume;
import dev.cove.e2e.StorageOperations.CreateSandbox;
import dev.cove.e2e.StorageOperations.CreateVolume;
import dev.cove.e2e.StorageOperations.DeleteCheckpoint;
import dev.cove.e2e.StorageOperations.DeleteVolume;
import dev.cove.e2e.StorageOperations.ForkSandbox;
import dev.cove.e2e.StorageOperations.Import;
import dev.cove.e2e.StorageOperations.MakeTemplate;
import dev.cove.e2e.StorageOperations.Operation;
import dev.cove.e2e.StorageOperations.Prune;
import dev.cove.e2e.StorageOperations.RemoveTemplate;
import dev.cove.e2e.StorageOperations.Restore;
import dev.cove.e2e.StorageOperations.TagTemplate;
import dev.cove.e2e.StorageOperations.TakeCheckpoint;
import dev.cove.e2e.StorageOperations.TakeCheckpointOfBusy;
import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.Template;
import dev.cove.sdk.TemplateBuild;
import dev.cove.sdk.Volume;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The server ends between any two durable steps of what it does to its storage. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("long")
class StorageFailPointsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SETTLE = Duration.ofSeconds(20);
  private static final String WITNESS = "witness";
  private static final String STATE = "kept all the while";
  private static final int OWN_SIZE_MB = 77;

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  private LocalRegistry registry;
  private String witness;
  private Checkpoint kept;
  private List<Crash> crashes;

  /**
   * An end of the server.
   *
   * @param time which time the point is reached
   */
  record Crash(FailPoint point, int time, String name, Operation operation) {
    @Override
    public String toString() {
      return "%s at %s, time %d".formatted(name, point, time);
    }
  }

  /** What was there before and must be there after each crash; and what goes in from outside. */
  @BeforeAll
  void prepare() throws Exception {
    registry = LocalRegistry.open();
    TestImage image =
        new TestImage()
            .layer(new TestImage.Layer().folder("home").folder("home/user").file("lower", "lower"))
            .layer(
                new TestImage.Layer().file(StorageOperations.FILE.substring(1), "first\nsecond\n"));
    image.push(registry, "storage", "1");
    Cove cove = server.cove();
    Sandbox box =
        cove.sandboxes().create(CreateOptions.defaults().name(WITNESS).diskMb(64)).detach();
    witness = box.id();
    box.files().write("/home/user/lower", "lower");
    box.checkpoint();
    box.files().write(StorageOperations.FILE, STATE);
    kept = box.checkpoint();
    box.spawn(Command.of("sleep", "6000"));
    cove.volumes().create(WITNESS, 16);
    cove.volumes().files(WITNESS).write("/file", STATE);
    cove.templates()
        .build(
            TemplateBuild.from("host")
                .name(WITNESS)
                .run("echo -n '" + STATE + "' > " + StorageOperations.FILE));
    var export = new ByteArrayOutputStream();
    cove.moves().exportCheckpoint(kept.id(), export);
    MakeTemplate.ofSteps().perform(cove);
    var templateExport = new ByteArrayOutputStream();
    cove.moves().exportTemplate("made", templateExport);
    MakeTemplate.ofSteps().undo(cove);
    crashes =
        crashes(
            registry.reference("storage:1"),
            image.ociArchive(),
            export.toByteArray(),
            templateExport.toByteArray());
  }

  @AfterAll
  void close() throws Exception {
    registry.close();
  }

  List<Crash> crashes() {
    return crashes;
  }

  private static List<Crash> crashes(String image, byte[] archive, byte[] export, byte[] template) {
    var all = new ArrayList<Crash>();
    for (FailPoint point :
        List.of(
            FailPoint.SEAL_PREPARED,
            FailPoint.SEAL_FROZEN,
            FailPoint.SEAL_NOTED,
            FailPoint.SEAL_MOVED,
            FailPoint.RECORD_WRITTEN,
            FailPoint.SEAL_ROOT_WRITTEN,
            FailPoint.SEAL_DEVICE_WRITTEN,
            FailPoint.SEAL_NOTE_REMOVED,
            FailPoint.SEAL_FORCED,
            FailPoint.CHECKPOINT_RECORDED,
            FailPoint.DIGEST_WRITTEN)) {
      all.add(new Crash(point, 1, "checkpoint", new TakeCheckpoint()));
    }
    all.add(
        new Crash(
            FailPoint.SEAL_COPIED,
            1,
            "checkpoint while a program runs",
            new TakeCheckpointOfBusy()));
    for (FailPoint point : List.of(FailPoint.CHECKPOINT_FORGOTTEN, FailPoint.LAYER_IMAGE_REMOVED)) {
      all.add(new Crash(point, 1, "checkpoint delete", new DeleteCheckpoint()));
    }
    for (FailPoint point :
        List.of(
            FailPoint.RESTORE_UNDO_TAKEN,
            FailPoint.RESTORE_ANNOUNCED,
            FailPoint.CHANGE_NOTED,
            FailPoint.CHANGE_MADE,
            FailPoint.CHANGE_WRITTEN,
            FailPoint.RESTORE_REBUILT)) {
      all.add(new Crash(point, 1, "restore", new Restore(false)));
    }
    for (FailPoint point : List.of(FailPoint.RESTORE_CAGE_REMOVED, FailPoint.CAGE_STARTED)) {
      all.add(new Crash(point, 1, "restore while a program runs", new Restore(true)));
    }
    all.add(new Crash(FailPoint.FORK_PINNED, 1, "fork", new ForkSandbox()));
    all.add(new Crash(FailPoint.FORK_CHILD_MADE, 2, "fork", new ForkSandbox()));
    all.add(new Crash(FailPoint.BASE_IMAGE_FORMATTED, 1, "create", new CreateSandbox(OWN_SIZE_MB)));
    all.add(new Crash(FailPoint.STEP_SEALED, 1, "build", MakeTemplate.ofSteps()));
    all.add(new Crash(FailPoint.STEP_RECORDED, 2, "build", MakeTemplate.ofSteps()));
    for (FailPoint point : List.of(FailPoint.BUILD_FINISHED, FailPoint.TEMPLATE_RECORDED)) {
      all.add(new Crash(point, 1, "build", MakeTemplate.ofSteps()));
    }
    all.add(new Crash(FailPoint.IMAGE_LAYER_UNPACKED, 2, "pull", MakeTemplate.ofImage(image)));
    all.add(new Crash(FailPoint.STEP_SEALED, 2, "pull", MakeTemplate.ofImage(image)));
    all.add(new Crash(FailPoint.UPLOAD_KEPT, 1, "image import", MakeTemplate.ofArchive(archive)));
    all.add(
        new Crash(
            FailPoint.IMAGE_LAYER_UNPACKED, 1, "image import", MakeTemplate.ofArchive(archive)));
    for (FailPoint point : List.of(FailPoint.DIGEST_WRITTEN, FailPoint.CHECKPOINT_RECORDED)) {
      all.add(new Crash(point, 1, "import", new Import(export, STATE)));
    }
    for (FailPoint point : List.of(FailPoint.IMPORT_IMAGE_WRITTEN, FailPoint.IMPORT_LAYER_TAKEN)) {
      all.add(new Crash(point, 2, "import", new Import(export, STATE)));
    }
    all.add(
        new Crash(
            FailPoint.TEMPLATE_RECORDED, 1, "template import", MakeTemplate.ofExport(template)));
    for (FailPoint point :
        List.of(
            FailPoint.PRUNE_CACHE_CLEARED,
            FailPoint.LAYER_IMAGE_REMOVED,
            FailPoint.LAYER_REMOVED)) {
      all.add(new Crash(point, 1, "prune", new Prune()));
    }
    all.add(new Crash(FailPoint.TEMPLATE_TAGGED, 1, "template tag", new TagTemplate()));
    all.add(new Crash(FailPoint.TEMPLATE_FORGOTTEN, 1, "template rm", new RemoveTemplate()));
    for (FailPoint point :
        List.of(FailPoint.VOLUME_FORMATTED, FailPoint.VOLUME_NAMED, FailPoint.VOLUME_RECORDED)) {
      all.add(new Crash(point, 1, "volume create", new CreateVolume()));
    }
    all.add(new Crash(FailPoint.VOLUME_COPIED, 1, "volume checkpoint", CopyVolume.asCheckpoint()));
    all.add(new Crash(FailPoint.VOLUME_RECORDED, 1, "volume fork", CopyVolume.asFork()));
    all.add(new Crash(FailPoint.VOLUME_FORGOTTEN, 1, "volume rm", new DeleteVolume()));
    return all;
  }

  @Test
  void there_is_a_crash_for_every_fail_point() {
    var others = EnumSet.complementOf(EnumSet.of(FailPoint.WEBHOOK_TOLD)); // see EventsTest
    others.removeAll(
        EnumSet.range(FailPoint.APPLY_STAGED, FailPoint.APPLY_TURNED)); // ApplyCrashTest
    others.removeAll(RestFailPointsTest.points());
    others.removeAll(ServicesTest.POINTS);
    others.removeAll(CreateFailPointsTest.points());
    assertThat(crashes.stream().map(Crash::point).collect(Collectors.toSet())).containsAll(others);
  }

  @ParameterizedTest
  @MethodSource("crashes")
  void nothing_is_lost_nothing_is_half_and_nothing_is_left(Crash crash) throws Exception {
    Operation operation = crash.operation();
    operation.prepare(server.cove());
    boolean acknowledged = crash(crash);
    server.start();

    assertAllFitsTogether();
    boolean done = operation.examine(server.cove());
    assertThat(done || !acknowledged).as("what was acknowledged is there").isTrue();
    assertWitnesses();

    operation.undo(server.cove());
    operation.perform(server.cove());
    assertThat(operation.examine(server.cove())).as("it works now").isTrue();
    operation.undo(server.cove());
    operation.cleanUp(server.cove());
  }

  /**
   * @return whether the caller was told that it was done, before the server ended
   */
  private static boolean crash(Crash crash) throws Exception {
    if (crash.point() == FailPoint.DIGEST_WRITTEN) {
      awaitDigests(); // or the armed server would go after them as soon as it starts
    }
    server.kill();
    server.startArmed(crash.point() + ":" + crash.time());
    boolean acknowledged = false;
    try {
      crash.operation().perform(server.cove());
      acknowledged = true;
    } catch (CoveException e) {
      assertThat(e).as("the server has ended").isNotNull();
    }
    OptionalInt status = server.awaitEnd(PATIENCE);
    if (status.isEmpty()) {
      server.kill();
    }
    assertThat(status).as("%s is reached", crash.point()).hasValue(FailPoint.EXIT_CODE);
    return acknowledged;
  }

  private static void awaitDigests() {
    Path sealed = server.home().resolve("data/engine/sealed");
    Awaitility.await("the digests of all layers")
        .atMost(SETTLE)
        .until(() -> {
          try (var records = Files.newDirectoryStream(sealed, "*.layer")) {
            for (Path record : records) {
              if (Files.readString(record).contains("digest pending")) {
                return false;
              }
            }
            return true;
          }
        });
  }

  /** One failure is not to be followed by others. */
  @AfterEach
  void removeWhatIsLeft() throws Exception {
    if (!server.isAlive()) {
      server.start();
    }
    Cove cove = server.cove();
    for (SandboxInfo box : cove.sandboxes().list()) {
      if (!box.id().equals(witness)) {
        cove.sandboxes().delete(box.id());
      }
    }
    for (Checkpoint one : cove.checkpoints().list()) {
      if (!one.sandboxId().equals(witness)) {
        cove.checkpoints().delete(one.id());
      }
    }
    for (Template one : cove.templates().list()) {
      if (!one.builtIn() && !one.name().equals(WITNESS)) {
        cove.templates().remove(one.reference());
      }
    }
    for (Volume one : cove.volumes().list()) {
      if (!one.name().equals(Optional.of(WITNESS))) {
        cove.volumes().delete(one.id());
      }
    }
  }

  private static void assertAllFitsTogether() {
    Awaitility.await("home and lists to fit together")
        .atMost(SETTLE)
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(() -> assertThat(HomeAudit.faultsOf(server)).isEmpty());
  }

  private void assertWitnesses() {
    Cove cove = server.cove();
    Sandbox box = cove.sandboxes().require(witness);
    assertThat(box.files().readString(StorageOperations.FILE)).isEqualTo(STATE);
    assertThat(box.processes()).hasSize(1);
    assertThat(cove.checkpoints().files(kept.id()).readString(StorageOperations.FILE))
        .isEqualTo(STATE);
    assertThat(cove.volumes().files(WITNESS).readString("/file")).isEqualTo(STATE);
    try (Sandbox made = cove.sandboxes().create(CreateOptions.defaults().template(WITNESS))) {
      assertThat(made.files().readString(StorageOperations.FILE)).isEqualTo(STATE);
    }
  }
}
