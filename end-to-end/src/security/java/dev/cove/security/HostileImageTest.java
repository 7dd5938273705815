package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RawApi;
import dev.cove.e2e.RunningServer;
import dev.cove.e2e.StaticProgram;
import dev.cove.e2e.TemplateCalls;
import dev.cove.e2e.TestImage;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images that are made to reach the host, or to wear it down. */
class HostileImageTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final byte[] SAY = StaticProgram.bytes();
  private static TemplateCalls templates;

  @BeforeAll
  static void open() {
    templates = new TemplateCalls(server);
  }

  @AfterEach
  void removeTemplates() throws Exception {
    templates.removeAll();
  }

  @AfterAll
  static void close() {
    templates.close();
  }

  private static TestImage.Layer base() {
    return new TestImage.Layer().folder("bin").file("bin/say", SAY, 0755);
  }

  private static HttpResponse<String> bring(TestImage image)
      throws IOException, InterruptedException {
    return templates.fromArchive("name=hostile", image.dockerArchive());
  }

  private static void assertUsable(TestImage image) throws Exception {
    HttpResponse<String> reply = bring(image);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    try (Sandbox box = create()) {
      assertThat(box.exec(Command.of("/bin/say")).exitCode()).isZero();
    }
  }

  private static Sandbox create() {
    return server.cove().sandboxes().create(CreateOptions.defaults().template("hostile"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "proc", "sys", "etc"})
  void a_folder_that_we_mount_or_write_may_not_be_a_link(String name) throws Exception {
    HttpResponse<String> reply =
        bring(
            new TestImage()
                .layer(base().symlink(name, "/root"))
                .layer(new TestImage.Layer().file(name + "/planted", "x")));
    if (reply.statusCode() == 201) {
      int before = server.cove().sandboxes().list().size();
      try (Sandbox box = create()) {
        assertThat(box.exec(Command.of("/bin/say")).exitCode()).isZero();
      } catch (CoveApiException refused) {
        assertThat(refused.status()).as(refused.detail()).isEqualTo(503);
        assertThat(server.cove().sandboxes().list()).hasSize(before);
      }
    } else {
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
    }
    assertThat(Path.of("/root/planted")).doesNotExist();
  }

  @Test
  void a_link_to_the_host_leads_to_the_images_own_files() throws Exception {
    Path canary = Files.createTempDirectory("cove-canary");
    try {
      for (String way : List.of(canary.toString(), "../../../../.." + canary)) {
        HttpResponse<String> reply =
            bring(
                new TestImage()
                    .layer(base().symlink("out", way))
                    .layer(new TestImage.Layer().file("out/planted", "x")));
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
      }
      assertUsable(
          new TestImage()
              .layer(base().folder("inside").symlink("out", "/inside"))
              .layer(new TestImage.Layer().file("out/planted", "x")));
      assertThat(canary).isEmptyDirectory();
    } finally {
      Files.delete(canary);
    }
  }

  @Test
  void a_hard_link_to_the_host_is_refused() throws Exception {
    for (String target : List.of("/etc/shadow", "../../../../etc/shadow")) {
      HttpResponse<String> reply = bring(new TestImage().layer(base().hardLink("stolen", target)));
      assertThat(reply.statusCode()).as(reply.body()).isIn(400, 422);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"../escape", "a/../../escape", "a/.wh...", ".wh..", ".wh.a/b/../../c"})
  void names_that_lead_out_are_refused(String name) throws Exception {
    HttpResponse<String> reply =
        bring(
            new TestImage().layer(base().folder("a")).layer(new TestImage.Layer().file(name, "x")));
    assertThat(reply.statusCode()).as(reply.body()).isIn(400, 422);
  }

  @Test
  void devices_are_left_out_and_set_id_programs_have_no_power() throws Exception {
    HttpResponse<String> reply =
        bring(
            new TestImage()
                .layer(
                    base()
                        .device("random-device")
                        .file("bin/powerful", SAY, 06755)
                        .folder("etc")
                        .file("etc/passwd", "user:x:1000:1000::/:/bin/say\n"))
                .user("user"));
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    try (Sandbox box = create()) {
      assertThat(box.exec(Command.of("/bin/powerful")).stdout()).startsWith("uid=1000 ");
      assertThat(box.files().list("/")).noneMatch(file -> file.path().equals("/random-device"));
    }
  }

  @Test
  void a_whiteout_of_everything_takes_nothing_from_the_host() throws Exception {
    assertUsable(
        new TestImage()
            .layer(base().file("gone", "x"))
            .layer(
                new TestImage.Layer()
                    .file(".wh.dev", "")
                    .file(".wh.proc", "")
                    .file(".wh.sys", "")
                    .file(".wh.gone", "")
                    .file("proc/.wh..wh..opq", "")));
  }

  @Test
  void an_image_of_more_entries_than_anybody_needs_is_refused() throws Exception {
    byte[] tar = emptyFiles(500_001);
    HttpResponse<String> reply = bring(new TestImage().layer(tar));
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
    assertThat(reply.body()).contains("entries");
  }

  /** Headers alone, as they are all alike but for the name: made by hand, because that is fast. */
  private static byte[] emptyFiles(int count) {
    var bytes = new ByteArrayOutputStream(count * 512 + 1024);
    byte[] header = new byte[512];
    put(header, 100, "0000644\0" + "0000000\0" + "0000000\0" + "00000000000\0" + "00000000000\0");
    header[156] = '0';
    put(header, 257, "ustar\0" + "00");
    for (int i = 0; i < count; i++) {
      Arrays.fill(header, 0, 100, (byte) 0);
      put(header, 0, "d%03d/f%07d".formatted(i / 10_000, i));
      put(header, 148, "        ");
      int sum = 0;
      for (byte b : header) {
        sum += b & 0xff;
      }
      put(header, 148, "%06o\0 ".formatted(sum));
      bytes.writeBytes(header);
    }
    bytes.writeBytes(new byte[1024]);
    return bytes.toByteArray();
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  @Test
  void a_layer_that_holds_something_else_is_refused() throws Exception {
    HttpResponse<String> reply = bring(new TestImage().layer(base()).lieAboutLastLayer());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
    assertThat(reply.body()).contains("digest");
    assertThat(RawApi.parse(templates.api().get(TemplateCalls.ALL)).get("items")).hasSize(1);
  }

  @Test
  void a_layer_that_breaks_off_is_refused() throws Exception {
    byte[] whole = emptyFiles(100);
    HttpResponse<String> reply =
        bring(new TestImage().layer(Arrays.copyOf(whole, whole.length / 2 + 100)));
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
  }
}
