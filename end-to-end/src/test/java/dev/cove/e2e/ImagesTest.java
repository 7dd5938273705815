package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Images of a real registry, and of archives, as what sandboxes begin with. */
class ImagesTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final byte[] SAY = StaticProgram.bytes();
  private static LocalRegistry registry;
  private static TemplateCalls templates;

  @BeforeAll
  static void open() throws Exception {
    registry = LocalRegistry.open();
    templates = new TemplateCalls(server);
  }

  @AfterEach
  void removeTemplates() throws Exception {
    templates.removeAll();
  }

  @AfterAll
  static void close() throws Exception {
    templates.close();
    registry.close();
  }

  private static TestImage image() {
    return new TestImage()
        .layer(
            new TestImage.Layer()
                .folder("bin")
                .file("bin/say", SAY, 0755)
                .folder("etc")
                .file(
                    "etc/passwd", "root:x:0:0::/root:/bin/say\nworker:x:4711:4711::/srv:/bin/say\n")
                .folder("srv")
                .file("srv/old", "old"))
        .env("GREETING=hello")
        .user("worker")
        .cwd("/srv")
        .entrypoint("/bin/say", "first")
        .command("second");
  }

  @Test
  void an_image_is_pulled_on_first_use_and_its_settings_hold() throws Exception {
    image().push(registry, "tools/say", "1.0");
    String reference = registry.reference("tools/say:1.0");
    try (Sandbox box =
        server.cove().sandboxes().create(CreateOptions.defaults().image(reference))) {
      HttpResponse<String> answer =
          templates.api().post("/api/v1/sandboxes/" + box.id() + "/exec", "{}");
      assertThat(RawApi.parse(answer).get("stdout").asString())
          .isEqualTo("uid=4711 cwd=/srv greeting=hello args=first,second\n");
      assertThat(box.exec(Command.of("say", "x").user("root").cwd("/")).stdout())
          .isEqualTo("uid=0 cwd=/ greeting=hello args=x\n");
      assertThat(box.info().template()).isEqualTo(reference);
    }
    JsonNode listed = RawApi.parse(templates.api().get(TemplateCalls.path(reference)));
    assertThat(listed.get("origin").asString()).contains(reference + "@sha256:");
    assertThat(listed.get("user").asString()).isEqualTo("worker");
  }

  @Test
  void layers_that_images_share_are_made_once() throws Exception {
    byte[] below = new TestImage.Layer().file("below", "no other test has this").finish();
    new TestImage().layer(below).push(registry, "shared/one", "1");
    new TestImage()
        .layer(below)
        .layer(new TestImage.Layer().file("srv/new", "new"))
        .push(registry, "shared/two", "1");
    String first = templates.makeWithEvents(Map.of("image", registry.reference("shared/one:1")));
    String second = templates.makeWithEvents(Map.of("image", registry.reference("shared/two:1")));
    assertThat(first).contains("event: done").contains("\"cached\":false").doesNotContain("true,");
    assertThat(second).contains("\"cached\":true").contains("\"cached\":false");
  }

  @Test
  void upper_layers_take_away_what_lower_ones_brought() throws Exception {
    image()
        .layer(new TestImage.Layer().folder("srv/deep").file("srv/deep/a", "a").file("srv/b", "b"))
        .layer(
            new TestImage.Layer()
                .file("srv/.wh.old", "")
                .file("srv/deep/.wh..wh..opq", "")
                .file("srv/deep/c", "c"))
        .push(registry, "whiteouts", "1");
    try (Sandbox box =
        server
            .cove()
            .sandboxes()
            .create(CreateOptions.defaults().image(registry.reference("whiteouts:1")))) {
      assertThat(box.files().list("/srv"))
          .extracting(info -> info.path())
          .containsExactlyInAnyOrder("/srv/b", "/srv/deep");
      assertThat(box.files().list("/srv/deep"))
          .extracting(info -> info.path())
          .containsExactly("/srv/deep/c");
    }
  }

  @Test
  void layers_may_be_compressed_with_zstd() throws Exception {
    byte[] large = SampleBytes.array(3_000_000);
    image()
        .zstdLayer(new TestImage.Layer().file("srv/large", large, 0644).file("srv/.wh.old", ""))
        .layer(new TestImage.Layer().file("srv/last", "last"))
        .push(registry, "zstd", "1");
    String reference = registry.reference("zstd:1");
    try (Sandbox box =
        server.cove().sandboxes().create(CreateOptions.defaults().image(reference))) {
      assertThat(box.files().readBytes("/srv/large")).isEqualTo(large);
      assertThat(box.files().list("/srv"))
          .extracting(info -> info.path())
          .containsExactlyInAnyOrder("/srv/large", "/srv/last");
    }
  }

  @Test
  void a_layer_in_zstd_that_is_damaged_cut_off_or_something_else_is_refused() throws Exception {
    byte[] tar = new TestImage.Layer().file("srv/large", SampleBytes.array(300_000), 0644).finish();
    byte[] good = Zstd.compress(tar);
    byte[] damaged = good.clone();
    damaged[good.length / 2] ^= 1;
    var images =
        Map.of(
            "damaged", image().zstdBlob(damaged, tar),
            "cut-off", image().zstdBlob(Arrays.copyOf(good, good.length - 100), tar),
            "other", image().zstdBlob(good, tar).lieAboutLastLayer(),
            "far-back", image().zstdBlob(withWindow(27, tar), tar));
    for (var entry : images.entrySet()) {
      entry.getValue().push(registry, "zstd/" + entry.getKey(), "1");
      HttpResponse<String> refused =
          templates.tryToMake(Map.of("image", registry.reference("zstd/" + entry.getKey() + ":1")));
      assertThat(refused.statusCode()).as(entry.getKey() + refused.body()).isEqualTo(422);
      assertThat(refused.body()).contains(entry.getValue().layers().getLast().digest());
    }
  }

  private static byte[] withWindow(int bits, byte[] tar) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var zstd = new ZstdOutputStream(out).setLong(bits)) {
      zstd.write(tar);
    }
    return out.toByteArray();
  }

  /** Nobody in a sandbox could use them: no program gains anything there, and none is setuid. */
  @Test
  void of_the_attributes_in_layers_those_of_users_stay_and_capabilities_do_not() throws Exception {
    String netRaw = "\1\0\0\2\0\40\0\0\0\0\0\0\0\0\0\0\0\0\0\0"; // cap_net_raw=ep
    image()
        .layer(
            new TestImage.Layer()
                .fileWith("srv/coloured", "x", "user.color", "red")
                .fileWith("srv/ping", "x", "security.capability", netRaw)
                .fileWith("srv/opaque", "x", "trusted.overlay.opaque", "y")
                .fileWith("srv/labelled", "x", "security.selinux", "other"))
        .push(registry, "attributes", "1");
    String reference = registry.reference("attributes:1");
    try (Sandbox box =
        server.cove().sandboxes().create(CreateOptions.defaults().image(reference))) {
      assertThat(attributes(box, "coloured")).containsExactly("user.color");
      for (String name : List.of("ping", "opaque", "labelled")) {
        assertThat(attributes(box, name)).as(name).isEmpty();
      }
    }
  }

  private static List<String> attributes(Sandbox box, String name) {
    var result = box.exec(Command.of("/bin/say", "attributes", "/srv/" + name));
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout().lines().toList();
  }

  @Test
  void a_digest_pins_an_image() throws Exception {
    String digest = image().push(registry, "pinned", "1");
    JsonNode made =
        templates.make(
            Map.of("image", registry.reference("pinned@" + digest), "name", "pinned-here"));
    assertThat(made.get("origin").asString()).contains(digest);
    String other = "sha256:" + "0".repeat(64);
    HttpResponse<String> refused =
        templates.tryToMake(
            Map.of("image", registry.reference("pinned@" + other), "name", "never"));
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
    assertThat(refused.body()).contains("is not in the registry");
  }

  @Test
  void a_blob_that_was_changed_is_refused_by_its_digest() throws Exception {
    TestImage changed =
        image().layer(new TestImage.Layer().file("srv/changed", "x".repeat(50_000)));
    changed.push(registry, "changed", "1");
    String digest = changed.layers().getLast().digest();
    TestImage.Layer other = new TestImage.Layer().file("srv/changed", "y".repeat(50_000));
    Files.write(registry.fileOf(digest), new TestImage().layer(other).layers().getFirst().bytes());
    HttpResponse<String> refused =
        templates.tryToMake(Map.of("image", registry.reference("changed:1")));
    assertThat(refused.statusCode()).as(refused.body()).isIn(422, 503);
    assertThat(RawApi.parse(templates.api().get(TemplateCalls.ALL)).get("items")).hasSize(1);
  }

  @Test
  void credentials_open_a_registry_and_are_told_to_nobody() throws Exception {
    String password = "s3cret-" + System.nanoTime();
    try (var closed = LocalRegistry.withPassword(password)) {
      image().push(closed, "private/say", "1");
      String reference = closed.reference("private/say:1");
      HttpResponse<String> without = templates.tryToMake(Map.of("image", reference));
      assertThat(without.statusCode()).as(without.body()).isEqualTo(422);
      assertThat(without.body()).contains("needs credentials");
      HttpResponse<String> wrong =
          templates.tryToMake(
              Map.of(
                  "image",
                  reference,
                  "registry",
                  Map.of("username", closed.user(), "password", "wrong")));
      assertThat(wrong.statusCode()).as(wrong.body()).isEqualTo(422);
      JsonNode made =
          templates.make(
              Map.of(
                  "image",
                  reference,
                  "registry",
                  Map.of("username", closed.user(), "password", password)));
      assertThat(made.toString()).doesNotContain(password);
      assertThat(Files.readString(server.log())).doesNotContain(password);
    }
  }

  @Test
  void archives_of_both_kinds_become_templates() throws Exception {
    for (byte[] archive : List.of(image().ociArchive(), image().dockerArchive())) {
      HttpResponse<String> reply = templates.fromArchive("name=archived&tag=v1", archive);
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
      try (Sandbox box =
          server.cove().sandboxes().create(CreateOptions.defaults().template("archived:v1"))) {
        assertThat(box.exec(Command.of("/bin/say")).stdout())
            .isEqualTo("uid=4711 cwd=/srv greeting=hello args=\n");
      }
    }
  }

  @Test
  void a_template_goes_out_as_an_image_and_comes_in_again() throws Exception {
    templates.fromArchive("name=round", image().ociArchive());
    var written = new ByteArrayOutputStream();
    server.cove().moves().writeImage("round", written);
    HttpResponse<String> reply = templates.fromArchive("name=again", written.toByteArray());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    try (Sandbox box =
        server.cove().sandboxes().create(CreateOptions.defaults().template("again"))) {
      assertThat(box.exec(Command.of("/bin/say")).stdout())
          .isEqualTo("uid=4711 cwd=/srv greeting=hello args=\n");
      assertThat(box.files().readString("/srv/old")).isEqualTo("old");
    }
  }

  @Test
  void what_is_no_image_is_refused() throws Exception {
    byte[] text = "this is no archive".repeat(100).getBytes(StandardCharsets.UTF_8);
    for (byte[] archive :
        List.of(text, new TestImage.Layer().file("README", "no image").finish(), new byte[0])) {
      HttpResponse<String> reply = templates.fromArchive("name=wrong", archive);
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
      assertThat(reply.body()).contains("rchive");
    }
  }

  @Test
  void a_registry_that_is_not_there_is_said_to_be_so() throws Exception {
    HttpResponse<String> reply = templates.tryToMake(Map.of("image", "127.0.0.1:1/none:1"));
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(503);
  }
}
