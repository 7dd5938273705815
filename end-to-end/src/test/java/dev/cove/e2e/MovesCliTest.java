package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Template;
import dev.cove.sdk.TemplateBuild;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that {@code cove export}, {@code import} and {@code template push-to-tar} write and read.
 */
class MovesCliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @TempDir private Path folder;

  private static Cli cli() {
    return Cli.of(server);
  }

  @AfterEach
  void removeAll() {
    server.cove().checkpoints().list().forEach(c -> server.cove().checkpoints().delete(c.id()));
    for (Template template : server.cove().templates().list()) {
      if (!template.builtIn()) {
        server.cove().templates().remove(template.reference());
      }
    }
  }

  private static void buildTemplate(String name) {
    server
        .cove()
        .templates()
        .build(
            TemplateBuild.from("host")
                .name(name)
                .env("GREETING", "hello")
                .run("echo made > /home/user/made"));
  }

  private static String run(String source, String value, String script) throws Exception {
    return cli().run("run", source, value, "--", "sh", "-c", script).succeeded().stdout();
  }

  @Test
  void a_sandbox_and_its_checkpoint_come_back_from_files() throws Exception {
    byte[] ofSandbox;
    Path ofCheckpoint = folder.resolve("kept.cove");
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/note", "first\n");
      String checkpoint = cli().run("checkpoint", box.id()).succeeded().stdout().strip();
      box.files().write("/home/user/note", "second\n");
      ofSandbox = cli().run("export", box.id()).succeeded().stdoutBytes();
      var named = cli().run("export", "--output", ofCheckpoint.toString(), checkpoint).succeeded();
      assertThat(named.stdout()).isEmpty();
    }
    var piped = cli().pipe(new ByteArrayInputStream(ofSandbox), "import", "-").succeeded();
    assertThat(piped.stdout()).hasLineCount(1);
    assertThat(run("--checkpoint", piped.stdout().strip(), "cat note")).isEqualTo("second\n");
    var read = cli().run("import", ofCheckpoint.toString()).succeeded();
    assertThat(run("--checkpoint", read.stdout().strip(), "cat note")).isEqualTo("first\n");
  }

  @Test
  void a_template_comes_back_under_its_name_or_another() throws Exception {
    buildTemplate("moved");
    Path file = folder.resolve("moved.cove");
    cli().run("export", "--output", file.toString(), "moved").succeeded();
    cli().run("template", "rm", "moved").succeeded();
    assertThat(cli().run("import", file.toString()).succeeded().stdout()).isEqualTo("moved@1\n");
    assertThat(cli().run("import", "--name", "renamed", file.toString()).succeeded().stdout())
        .isEqualTo("renamed@1\n");
    for (String template : List.of("moved", "renamed")) {
      assertThat(run("--template", template, "cat made; echo $GREETING"))
          .isEqualTo("made\nhello\n");
    }
    var wrong = cli().run("import", "--name", "No Name", file.toString());
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.stderr()).startsWith("cove: ").hasLineCount(1);
  }

  @Test
  void a_template_goes_out_as_an_image_and_comes_in_as_an_archive() throws Exception {
    Path image =
        Files.write(
            folder.resolve("first.tar"),
            new TestImage()
                .layer(
                    new TestImage.Layer()
                        .folder("bin")
                        .file("bin/say", StaticProgram.bytes(), 0755)
                        .folder("etc")
                        .file("etc/passwd", "root:x:0:0::/:/bin/say\n"))
                .env("GREETING=hello")
                .entrypoint("/bin/say", "first")
                .dockerArchive());
    cli().run("template", "build", "--archive", image.toString(), "-t", "said").succeeded();
    Path again = folder.resolve("again.tar");
    cli().run("template", "push-to-tar", "--output", again.toString(), "said").succeeded();
    byte[] piped = cli().run("template", "push-to-tar", "said").succeeded().stdoutBytes();
    cli().run("template", "build", "--archive", again.toString(), "-t", "named").succeeded();
    cli()
        .pipe(new ByteArrayInputStream(piped), "template", "build", "--archive", "-", "-t", "piped")
        .succeeded();
    for (String template : List.of("named", "piped")) {
      assertThat(cli().run("run", "--template", template).succeeded().stdout())
          .contains("greeting=hello args=first");
    }
  }

  @Test
  void a_file_that_is_damaged_or_not_there_is_refused_in_one_line() throws Exception {
    buildTemplate("whole");
    byte[] whole = cli().run("export", "whole").succeeded().stdoutBytes();
    byte[] changed = whole.clone();
    changed[whole.length / 2] ^= 1;
    byte[][] damaged = {
      new byte[0],
      "no export".getBytes(StandardCharsets.UTF_8),
      changed,
      Arrays.copyOf(whole, whole.length - 100)
    };
    for (byte[] content : damaged) {
      Path file = Files.write(folder.resolve("damaged.cove"), content);
      var refused = cli().run("import", file.toString());
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stdout()).isEmpty();
      assertThat(refused.stderr()).startsWith("cove: The file is no export").hasLineCount(1);
    }
    for (String missing : List.of(folder.resolve("missing").toString(), folder.toString())) {
      var refused = cli().run("import", missing);
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stderr()).isEqualTo("cove: There is no file " + missing + ".\n");
    }
    assertThat(server.cove().templates().list()).hasSize(2);
    assertThat(server.cove().checkpoints().list()).isEmpty();
  }

  @Test
  void a_file_that_was_there_is_replaced_by_a_whole_one_or_stays() throws Exception {
    Path file = Files.writeString(folder.resolve("kept"), "as it was");
    for (String[] verb : new String[][] {{"export"}, {"template", "push-to-tar"}}) {
      String[] rest = {"--output", file.toString(), "missing"};
      var refused =
          cli().run(Stream.concat(Arrays.stream(verb), Arrays.stream(rest)).toArray(String[]::new));
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stderr()).startsWith("cove: ").contains("missing").hasLineCount(1);
      assertThat(file).hasContent("as it was");
    }
    buildTemplate("written");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    cli().run("export", "--output", link.toString(), "written").succeeded();
    assertThat(link).isSymbolicLink();
    assertThat(cli().run("import", file.toString()).succeeded().stdout()).isEqualTo("written@2\n");
    assertThat(namesIn(folder)).containsExactlyInAnyOrder("kept", "link");
  }

  @Test
  void a_pipe_with_a_name_takes_a_file_and_stays_a_pipe() throws Exception {
    buildTemplate("piped");
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    var running = cli().start("export", "--output", pipe.toString(), "piped");
    byte[] written = Files.readAllBytes(pipe);
    cli().await(running).succeeded();
    assertThat(cli().pipe(new ByteArrayInputStream(written), "import", "-").succeeded().stdout())
        .isEqualTo("piped@2\n");
    assertThat(namesIn(folder)).containsExactly("pipe");
  }

  @Test
  void a_place_where_no_file_can_be_is_refused_in_one_line() throws Exception {
    buildTemplate("homeless");
    Path nowhere = folder.resolve("no/such/folder");
    for (Path target : List.of(folder, nowhere)) {
      var refused = cli().run("export", "--output", target.toString(), "homeless");
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stderr()).startsWith("cove: " + target + " ").hasLineCount(1);
    }
    assertThat(namesIn(folder)).isEmpty();
  }

  private static List<String> namesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }
}
