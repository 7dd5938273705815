package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import dev.cove.testing.HostRoot;
import dev.cove.testing.HostTraces;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A layer is used as it was sealed, or refused by its name. */
class DamagedLayersTest {
  private static final Resources SMALL = new Resources(1_000, 256, 16, 64);
  private static final EngineSettings SETTINGS = new EngineSettings(0, 0, true, true);
  private static final List<Corruption> KINDS = List.of(Corruption.values());
  private static final int CORRUPTIONS = 1_000;
  private static final int THROUGH_THE_ENGINE = 48;
  private static final String MARK = "a text that is found in the image";

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init") // before each test
  private EngineHome home;

  @SuppressWarnings("NullAway.Init") // before each test
  private RootFs root;

  @SuppressWarnings("NullAway.Init") // before each test
  private ContainerEngine engine;

  @BeforeEach
  void open() throws IOException {
    home = new EngineHome(folder.resolve("data"), folder.resolve("run"));
    root = HostRoot.in(folder.resolve("root"));
    engine = ContainerEngine.open(home, SETTINGS);
  }

  @AfterEach
  void close() {
    engine.present().forEach(engine::remove);
    engine.store().layers().forEach(engine.store()::removeLayer);
    engine.close();
  }

  private void reopen() {
    engine.close();
    engine = ContainerEngine.open(home, SETTINGS);
  }

  private Box on(LayerId... sealed) throws IOException {
    return Box.of(
        engine.start(new CagePlan(SandboxId.random(), root.over(List.of(sealed)), SMALL)));
  }

  private LayerId layerWith(String text) throws Exception {
    var layer = LayerId.random();
    try (var box = on()) {
      box.root("echo '%s' > /tmp/file; head -c 300K /dev/urandom > /tmp/noise".formatted(text));
      box.cage().seal(layer, true);
    }
    return layer;
  }

  private String awaitDigest(LayerId layer) throws InterruptedException {
    HostTraces.eventually(
        "layer %s has a digest".formatted(layer),
        () -> engine.store().layer(layer).digest().isPresent());
    return engine.store().layer(layer).digest().orElseThrow();
  }

  private Path image(LayerId layer) {
    return home.sealedImages().resolve(layer.value());
  }

  private void assertRefused(LayerId layer) {
    var refusal = catchThrowableOfType(EngineException.class, () -> on(layer).close());
    assertThat(refusal).hasMessageContaining(layer.value()).hasMessageContaining("damaged");
    assertThat(refusal.code()).isEqualTo(ErrorCode.LAYER_DAMAGED);
  }

  private void damage(LayerId layer) throws IOException {
    byte[] bytes = Files.readAllBytes(image(layer));
    int place = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(MARK);
    assertThat(place).isPositive();
    try (var file = new RandomAccessFile(image(layer).toFile(), "rw")) {
      file.seek(place);
      file.write('A');
    }
  }

  private record Pristine(Path folder, Corruption.Pair pair) {
    static Pristine of(Corruption.Pair pair, Path folder) throws IOException {
      Files.createDirectory(folder);
      copy(pair, new Corruption.Pair(folder, pair.layer(), pair.other()));
      return new Pristine(folder, pair);
    }

    void putBack() throws IOException {
      copy(new Corruption.Pair(folder, pair.layer(), pair.other()), pair);
    }

    private static void copy(Corruption.Pair from, Corruption.Pair to) throws IOException {
      sparseCopy(from.image(), to.image());
      sparseCopy(from.otherImage(), to.otherImage());
      Files.write(to.record(), Files.readAllBytes(from.record()));
      Files.write(to.otherRecord(), Files.readAllBytes(from.otherRecord()));
    }

    boolean isUnchangedWithRecord() throws IOException {
      return Files.exists(pair.image())
          && isUnchanged()
          && Files.exists(pair.record())
          && Files.mismatch(LayerRecord.file(folder, pair.layer()), pair.record()) == -1;
    }

    boolean isUnchanged() throws IOException {
      return Files.mismatch(folder.resolve(pair.layer().value()), pair.image()) == -1;
    }
  }

  private static void sparseCopy(Path from, Path to) throws IOException {
    Files.deleteIfExists(to);
    try (var in = new RandomAccessFile(from.toFile(), "r");
        var out = new RandomAccessFile(to.toFile(), "rw")) {
      out.setLength(in.length());
      for (var extent : SparseFile.extents(from)) {
        byte[] bytes = new byte[Math.toIntExact(extent.end() - extent.start())];
        in.seek(extent.start());
        in.readFully(bytes);
        out.seek(extent.start());
        out.write(bytes);
      }
    }
  }

  private Pristine twoLayers() throws Exception {
    var pair = new Corruption.Pair(home.sealedImages(), layerWith("one"), layerWith("two"));
    awaitDigest(pair.layer());
    awaitDigest(pair.other());
    return Pristine.of(pair, folder.resolve("pristine"));
  }

  @Test
  void a_thousand_corruptions_are_refused_by_name_or_change_no_byte() throws Exception {
    Pristine pristine = twoLayers();
    LayerId layer = pristine.pair().layer();
    int refused = 0;
    for (int i = 0; i < CORRUPTIONS; i++) {
      var random = new Random(i);
      Corruption corruption = KINDS.get(i % KINDS.size());
      pristine.putBack();
      corruption.strike(pristine.pair(), random);
      Optional<EngineException> refusal;
      try (var digests = new LayerDigests(home.sealedImages())) {
        refusal = requireIn(digests, layer);
      }
      if (refusal.isPresent()) {
        assertThat(refusal.get().code())
            .as("seed %d, %s", i, corruption)
            .isEqualTo(ErrorCode.LAYER_DAMAGED);
        assertThat(refusal.get()).hasMessageContaining(layer.value());
        refused++;
      } else {
        assertThat(pristine.isUnchanged()).as("seed %d, %s was used", i, corruption).isTrue();
      }
    }
    assertThat(refused).isBetween(CORRUPTIONS * 8 / 10, CORRUPTIONS - 1);
    pristine.putBack();
  }

  private static Optional<EngineException> requireIn(LayerDigests digests, LayerId layer) {
    try {
      digests.require(layer);
      return Optional.empty();
    } catch (EngineException e) {
      return Optional.of(e);
    }
  }

  @Test
  void nothing_starts_on_a_damaged_layer_and_others_are_as_good_as_before() throws Exception {
    Pristine pristine = twoLayers();
    LayerId layer = pristine.pair().layer();
    reopen();
    for (int i = 0; i < THROUGH_THE_ENGINE; i++) {
      Corruption corruption = KINDS.get(i % KINDS.size());
      pristine.putBack();
      corruption.strike(pristine.pair(), new Random(i));
      if (!pristine.isUnchangedWithRecord()) {
        assertRefused(layer);
      }
    }
    assertThat(engine.present()).isEmpty();
    assertThat(HostTraces.loopImages()).doesNotContain(image(layer).toRealPath().toString());
    pristine.putBack();
    try (var one = on(layer);
        var two = on(pristine.pair().other())) {
      assertThat(one.root("cat /tmp/file")).isEqualTo("one");
      assertThat(two.root("cat /tmp/file")).isEqualTo("two");
    }
  }

  @Test
  void a_layer_that_is_damaged_while_it_is_used_carries_nobody_else() throws Exception {
    LayerId damaged = layerWith(MARK);
    LayerId other = layerWith(MARK);
    try (var user = on(damaged);
        var otherUser = on(other)) {
      awaitDigest(damaged);
      awaitDigest(other);
      on(damaged).close();
      damage(damaged);
      assertRefused(damaged);
      assertThat(user.root("echo lives")).isEqualTo("lives");
      assertThatThrownBy(() -> user.cage().seal(LayerId.random(), true))
          .hasMessageContaining(damaged.value());
      assertThat(user.root("echo lives")).isEqualTo("lives");
      assertThat(otherUser.cage().seal(LayerId.random(), true).moved()).isTrue();
    }
  }

  @Test
  void a_layer_is_used_before_it_has_a_digest_also_after_a_crash() throws Exception {
    var layer = LayerId.random();
    try (var box = on()) {
      box.root("echo one > /tmp/file");
      box.cage().seal(layer, true);
      try (var child = on(layer)) {
        assertThat(child.root("cat /tmp/file")).isEqualTo("one");
      }
      assertThat(engine.store().layer(layer).digest()).isEmpty();
    }
    reopen();
    try (var child = on(layer)) {
      assertThat(child.root("cat /tmp/file")).isEqualTo("one");
    }
    awaitDigest(layer);
    reopen();
    try (var child = on(layer)) {
      assertThat(child.root("cat /tmp/file")).isEqualTo("one");
    }
  }

  @Test
  void use_does_not_touch_a_layer_s_files() throws Exception {
    LayerId layer = layerWith("one");
    awaitDigest(layer);
    FileState before = FileState.of(image(layer));
    reopen();
    try (var child = on(layer)) {
      child.root("cat /tmp/file; echo more >> /tmp/file");
      child.cage().seal(LayerId.random(), true);
    }
    assertThat(FileState.of(image(layer))).isEqualTo(before);
  }

  @Test
  void a_digest_names_the_content_and_not_the_file() throws Exception {
    Path sparse = folder.resolve("sparse");
    try (var file = new RandomAccessFile(sparse.toFile(), "rw")) {
      file.setLength((5 << 20) + 17);
      file.seek(3 << 20);
      file.write("something".getBytes(StandardCharsets.UTF_8));
    }
    Path full = Files.write(folder.resolve("full"), Files.readAllBytes(sparse));
    assertThat(SparseFile.bytesOnDisk(sparse)).isLessThan(SparseFile.bytesOnDisk(full));
    String digest = ImageDigest.of(sparse, List.of("/usr"));
    assertThat(digest)
        .matches("sha256:[0-9a-f]{64}")
        .isEqualTo(ImageDigest.of(full, List.of("/usr")));
    assertThat(ImageDigest.of(full, List.of("/us", "r"))).isNotEqualTo(digest);
    Files.write(full, new byte[] {0}, StandardOpenOption.APPEND);
    assertThat(ImageDigest.of(full, List.of("/usr"))).isNotEqualTo(digest);
  }

  @Test
  void a_layer_that_was_removed_does_not_come_back() throws Exception {
    for (int i = 0; i < 10; i++) {
      LayerId layer = layerWith("one");
      Thread.sleep(150 + i * 15L); // about the time at which the digest is written
      engine.store().removeLayer(layer);
    }
    Thread.sleep(300);
    assertThat(home.sealedImages()).isEmptyDirectory();
  }
}
