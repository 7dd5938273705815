package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Template;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Templates as people make and use them, from the command line inwards. */
class TemplateCliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @TempDir private Path folder;

  private static Cli cli() {
    return Cli.of(server);
  }

  @AfterEach
  void removeTemplates() {
    for (Template template : server.cove().templates().list()) {
      if (!template.builtIn()) {
        server.cove().templates().remove(template.reference());
      }
    }
  }

  private static TestImage image() {
    return new TestImage()
        .layer(
            new TestImage.Layer()
                .folder("bin")
                .file("bin/say", StaticProgram.bytes(), 0755)
                .folder("etc")
                .file("etc/passwd", "root:x:0:0::/:/bin/say\n"))
        .env("GREETING=hello")
        .entrypoint("/bin/say", "first");
  }

  @Test
  void a_folder_becomes_a_template_that_runs_what_it_says() throws Exception {
    Files.writeString(
        folder.resolve("Dockerfile"),
        """
        FROM host
        ARG WORD
        COPY --chown=user greeting /home/user/greeting
        RUN echo "$WORD" >> /home/user/greeting && echo built
        ENTRYPOINT ["cat", "/home/user/greeting"]
        """);
    Files.writeString(folder.resolve("greeting"), "hello\n");
    Files.writeString(folder.resolve(".dockerignore"), "secret\n");
    Files.writeString(folder.resolve("secret"), "never sent");
    var built =
        cli()
            .run(
                "template", "build", "-t", "greet:v1", "--build-arg", "WORD=you", folder.toString())
            .succeeded();
    assertThat(built.stdout()).isEqualTo("greet@1\n");
    assertThat(built.stderr()).contains("[1/5] FROM host\n").contains("    built\n");
    assertThat(cli().run("run", "--template", "greet:v1").succeeded().stdout())
        .isEqualTo("hello\nyou\n");
    assertThat(cli().run("run", "--template", "greet:v1", "--", "id", "-un").succeeded().stdout())
        .isEqualTo("user\n");
    var again =
        cli()
            .run("template", "build", "-t", "greet", "--build-arg", "WORD=you", folder.toString())
            .succeeded();
    assertThat(again.stdout()).isEqualTo("greet@2\n");
    assertThat(again.stderr()).contains("(cached)").doesNotContain("    built\n");
  }

  @Test
  void steps_are_carried_out_anew_and_sandboxes_have_what_the_template_gives() throws Exception {
    Files.writeString(folder.resolve("Dockerfile"), "FROM host\nRUN date +%N > /home/user/when\n");
    String here = folder.toString();
    var first = cli().run("template", "build", "-t", "sized", "--memory", "256M", here);
    assertThat(first.succeeded().stderr()).doesNotContain("(cached)");
    var anew =
        cli()
            .run(
                "template",
                "build",
                "-t",
                "sized",
                "--no-cache",
                "--cpus",
                "2",
                "--memory",
                "256M",
                "--disk",
                "1G",
                "--max-processes",
                "99",
                here)
            .succeeded();
    assertThat(anew.stderr()).doesNotContain("(cached)");
    assertThat(cli().run("template", "inspect", "--json", "sized").succeeded().stdout())
        .contains("\"limits\":{\"cpus\":2,\"memoryMb\":256,\"diskMb\":1024,\"maxProcesses\":99}");
    Files.writeString(folder.resolve("Dockerfile"), "FROM sized\nRUN true\n");
    cli().run("template", "build", "-t", "above", "--cpus", "1", here).succeeded();
    try (var box = server.create(CreateOptions.defaults().template("above"));
        var other = server.create(CreateOptions.defaults().template("above").memoryMb(128))) {
      assertThat(box.info().cpus()).isEqualTo(1);
      assertThat(box.info().memoryMb()).isEqualTo(256);
      assertThat(box.info().diskMb()).isEqualTo(1024);
      assertThat(box.info().maxProcesses()).isEqualTo(99);
      assertThat(other.info().memoryMb()).isEqualTo(128);
    }
    var senseless = cli().run("template", "build", "-t", "sized", "--memory", "1", here);
    assertThat(senseless.exitCode()).isEqualTo(1);
    assertThat(senseless.stderr()).contains("memoryMb must be between 16 and");
    assertThat(cli().run("template", "build", "--recipe", "base", "--no-cache").exitCode())
        .isEqualTo(2);
  }

  @Test
  void a_step_that_fails_is_told_with_its_line_and_makes_nothing() throws Exception {
    Files.writeString(folder.resolve("Dockerfile"), "FROM host\n\nRUN echo because >&2; exit 7\n");
    var failed = cli().run("template", "build", "-t", "failing", folder.toString());
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.stdout()).isEmpty();
    assertThat(failed.stderr())
        .contains("    because\n")
        .containsPattern("\ncove: .*Line 3.*exit code 7.*\n$");
    assertThat(server.cove().templates().find("failing")).isEmpty();
    Files.writeString(folder.resolve("Dockerfile"), "FROM host\nFRY eggs\n");
    var unknown = cli().run("template", "build", "-t", "failing", folder.toString());
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.stderr()).startsWith("cove: ").contains("Line 2").hasLineCount(1);
  }

  @Test
  void ls_inspect_tag_and_rm_do_what_they_say() throws Exception {
    Files.writeString(folder.resolve("Dockerfile"), "FROM host\nENV A=b\nCMD [\"true\"]\n");
    for (int version = 1; version <= 2; version++) {
      cli().run("template", "build", "-t", "team/listed", folder.toString()).succeeded();
    }
    cli().run("template", "tag", "team/listed@1", "old").succeeded();
    assertThat(cli().run("template", "ls").succeeded().stdout())
        .containsPattern("host +1 +latest ")
        .containsPattern("team/listed +2 +latest ")
        .containsPattern("team/listed +1 +old ");
    JsonNode listed =
        JsonMapper.shared().readTree(cli().run("template", "ls", "--json").succeeded().stdout());
    assertThat(listed.size()).isEqualTo(3);
    assertThat(cli().run("template", "inspect", "team/listed:old").succeeded().stdout())
        .contains("team/listed@1\n")
        .contains("A=b")
        .contains("true");
    var rm = cli().run("template", "rm", "host", "nobody", "team/listed@2");
    assertThat(rm.exitCode()).isEqualTo(1);
    assertThat(rm.stderr()).contains("cove: host: ").contains("cove: nobody: ").hasLineCount(2);
    var gone = cli().run("template", "inspect", "team/listed");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.stderr()).contains("cove template ls").hasLineCount(1);
    cli().run("template", "rm", "team/listed").succeeded();
    assertThat(server.cove().templates().list()).hasSize(1);
  }

  @Test
  void a_checkpoint_becomes_a_template() throws Exception {
    String checkpoint;
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/prepared", "yes\n");
      checkpoint = cli().run("checkpoint", box.id()).succeeded().stdout().strip();
    }
    var made = cli().run("template", "build", "--checkpoint", checkpoint, "-t", "kept").succeeded();
    assertThat(made.stdout()).isEqualTo("kept@1\n");
    cli().run("checkpoint", "rm", checkpoint).succeeded();
    assertThat(
            cli()
                .run("run", "--template", "kept", "--", "cat", "/home/user/prepared")
                .succeeded()
                .stdout())
        .isEqualTo("yes\n");
    var mute = cli().run("run", "--template", "kept");
    assertThat(mute.exitCode()).isEqualTo(125);
    assertThat(mute.stderr()).contains("kept@1 does not say what to run").hasLineCount(1);
  }

  @Test
  void an_archive_comes_from_a_file_or_from_the_input() throws Exception {
    byte[] archive = image().dockerArchive();
    Path file = Files.write(folder.resolve("image.tar"), archive);
    cli().run("template", "build", "--archive", file.toString(), "-t", "saved").succeeded();
    cli()
        .pipe(
            new ByteArrayInputStream(archive), "template", "build", "--archive", "-", "-t", "saved")
        .succeeded();
    for (String template : new String[] {"saved@1", "saved@2"}) {
      assertThat(cli().run("run", "--template", template).succeeded().stdout())
          .contains("greeting=hello args=first");
    }
    Path text = Files.writeString(folder.resolve("text"), "no image");
    var wrong = cli().run("template", "build", "--archive", text.toString(), "-t", "wrong");
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.stderr()).startsWith("cove: ").hasLineCount(1);
  }

  @Test
  void an_image_is_fetched_on_first_use_and_runs_its_entrypoint() throws Exception {
    try (LocalRegistry registry = LocalRegistry.open()) {
      String digest = image().push(registry, "tools/say", "1.0");
      String reference = registry.reference("tools/say:1.0");
      var first = cli().run("run", "--image", reference).succeeded();
      assertThat(first.stdout()).contains("args=first");
      assertThat(first.stderr()).contains("[1/");
      var second = cli().run("run", "--image", reference).succeeded();
      assertThat(second.stderr()).as("it is there already").isEmpty();
      String exact = registry.reference("tools/say") + "@" + digest;
      cli().run("run", "--image", exact).succeeded();
      assertThat(cli().run("run", "--image", exact).succeeded().stderr()).isEmpty();
      assertThat(server.cove().templates().findImage(exact)).isPresent();
      var missing = cli().run("run", "--image", registry.reference("tools/none:1"));
      assertThat(missing.exitCode()).isEqualTo(125);
      assertThat(missing.stderr()).contains("cove: ").doesNotContain("Exception");
    }
  }

  @Test
  void ctrl_c_cancels_the_build_on_the_server_too() throws Exception {
    Files.writeString(folder.resolve("Dockerfile"), "FROM host\nRUN sleep 4711\n");
    var running = cli().start("template", "build", "-t", "endless", folder.toString());
    Awaitility.await("the step to run")
        .atMost(Duration.ofSeconds(60))
        .until(TemplateCliTest::sleeperRuns);
    HostProcesses.signal(running.process().pid(), "INT");
    var outcome = cli().await(running);
    assertThat(outcome.exitCode()).isEqualTo(130);
    Awaitility.await("the step to end").atMost(Duration.ofSeconds(30)).until(() -> !sleeperRuns());
    assertThat(server.cove().templates().find("endless")).isEmpty();
  }

  private static boolean sleeperRuns() {
    return ProcessHandle.allProcesses()
        .map(process -> HostProcesses.commandLine(process.pid()))
        .anyMatch(words -> words.equals(List.of("sleep", "4711")));
  }
}
