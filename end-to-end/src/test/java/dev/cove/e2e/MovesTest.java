package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Moves;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TemplateBuild;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sandboxes, checkpoints and templates that go from one server to another as a file. */
class MovesTest {
  @RegisterExtension static final RunningServer here = RunningServer.shared();
  @RegisterExtension static final RunningServer there = RunningServer.withDefaults();

  @AfterEach
  void removeCheckpoints() {
    for (RunningServer server : new RunningServer[] {here, there}) {
      server.cove().checkpoints().list().forEach(c -> server.cove().checkpoints().delete(c.id()));
    }
  }

  private static Moves.Imported take(RunningServer server, byte[] file) {
    return server.cove().moves().take(new ByteArrayInputStream(file), Optional.empty());
  }

  @Test
  void a_sandbox_goes_on_at_another_server() {
    var file = new ByteArrayOutputStream();
    byte[] content = SampleBytes.array(3_000_000);
    try (Sandbox box = here.create()) {
      box.files().write("/home/user/work", content);
      box.exec(Command.shell("mkdir -p /tmp/deep && ln -s /home/user/work /tmp/deep/link"))
          .stdout();
      here.cove().moves().exportSandbox(box.id(), file);
      assertThat(here.cove().checkpoints().list()).as("only the file stays").isEmpty();
    }
    String id = take(there, file.toByteArray()).checkpoint().orElseThrow();
    try (Sandbox box = there.cove().sandboxes().create(CreateOptions.defaults().checkpoint(id))) {
      assertThat(box.files().readBytes("/tmp/deep/link")).isEqualTo(content);
    }
    assertThat(there.cove().checkpoints().require(id).reason()).isEqualTo("imported");
  }

  @Test
  void a_template_keeps_its_settings() {
    here.cove()
        .templates()
        .build(
            TemplateBuild.from("host")
                .name("moving")
                .env("GREETING", "hello")
                .run("echo made > /home/user/made"));
    var file = new ByteArrayOutputStream();
    here.cove().moves().exportTemplate("moving", file);
    String reference = take(there, file.toByteArray()).template().orElseThrow();
    assertThat(reference).isEqualTo("moving@1");
    try (Sandbox box =
        there.cove().sandboxes().create(CreateOptions.defaults().template(reference))) {
      assertThat(box.exec(Command.shell("cat made; echo $GREETING")).stdout())
          .isEqualTo("made\nhello\n");
    }
    here.cove().templates().remove("moving");
    there.cove().templates().remove("moving");
  }

  @Test
  void a_file_that_was_changed_or_cut_off_makes_nothing() {
    byte[] whole;
    try (Sandbox box = here.create()) {
      box.files().write("/home/user/work", SampleBytes.array(100_000));
      Checkpoint checkpoint = box.checkpoint();
      var file = new ByteArrayOutputStream();
      here.cove().moves().exportCheckpoint(checkpoint.id(), file);
      whole = file.toByteArray();
    }
    var random = new Random(42);
    for (int i = 0; i < 40; i++) {
      byte[] changed = whole.clone();
      int at = i == 0 ? 0 : i == 1 ? changed.length - 1 : random.nextInt(changed.length);
      changed[at] ^= (byte) (1 << random.nextInt(8));
      assertRefused(changed);
      assertRefused(Arrays.copyOf(whole, random.nextInt(whole.length)));
    }
    assertRefused(new byte[0]);
    assertRefused(Arrays.copyOf(whole, whole.length + 1));
    assertThat(there.cove().checkpoints().list()).isEmpty();
    assertThat(take(there, whole).checkpoint()).isPresent();
  }

  private static void assertRefused(byte[] file) {
    assertThatThrownBy(() -> take(there, file))
        .isInstanceOf(CoveApiException.class)
        .satisfies(e -> assertThat(((CoveApiException) e).status()).isEqualTo(422));
  }

  @Test
  void what_is_not_there_cannot_be_written() {
    var out = new ByteArrayOutputStream();
    Refusals.assertRefused(
        404, "not_found", () -> here.cove().moves().exportTemplate("missing", out));
    Refusals.assertRefused(409, "conflict", () -> here.cove().moves().exportTemplate("host", out));
    assertThat(out.size()).isZero();
  }
}
