package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** E2B's own command line, as it is published, with nothing but the variables that users export. */
class E2bCliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static E2bPackage client;
  private static Map<String, String> environment;

  @TempDir private Path folder;

  @BeforeAll
  static void install() throws Exception {
    client = E2bPackage.of("e2b-cli-2.19.0");
    environment = E2bPackage.environment(server);
  }

  private static Cli.Outcome e2b(String... args) throws Exception {
    return typing("", args);
  }

  private static Cli.Outcome typing(String input, String... args) throws Exception {
    return client.program("e2b", environment, input, args);
  }

  /** Some of it is on one stream, some on the other. */
  private static String said(Cli.Outcome outcome) {
    return outcome.stdout() + outcome.stderr();
  }

  private static List<String> listed(String... args) throws Exception {
    String json = e2b(args).succeeded().stdout();
    JsonNode all = JsonMapper.shared().readTree(json.substring(json.indexOf('[')));
    return all.valueStream()
        .map(
            one -> (one.has("sandboxId") ? one.get("sandboxId") : one.get("templateID")).asString())
        .toList();
  }

  private static String created(String template) throws Exception {
    return e2b("sandbox", "create", template, "--detach", "--timeout", "300")
        .succeeded()
        .stdout()
        .strip();
  }

  @Test
  void a_sandbox_is_made_used_laid_to_rest_and_killed() throws Exception {
    String box = created("base");
    assertThat(listed("sandbox", "list", "--format", "json")).contains(box);
    assertThat(e2b("sandbox", "info", box).succeeded().stdout()).contains("State: running");
    assertThat(e2b("sandbox", "exec", box, "echo", "two words").succeeded().stdout())
        .isEqualTo("two words\n");
    assertThat(typing("piped", "sandbox", "exec", box, "cat").succeeded().stdout())
        .isEqualTo("piped");
    assertThat(e2b("sandbox", "exec", "--user", "root", box, "sh", "-c", "exit 7").exitCode())
        .isEqualTo(7);
    assertThat(e2b("sandbox", "metrics", box).succeeded().stdout()).contains("Memory:");
    assertThat(e2b("sandbox", "pause", box).succeeded().stdout()).contains("paused");
    assertThat(listed("sandbox", "list", "--state", "paused", "--format", "json")).contains(box);
    assertThat(e2b("sandbox", "resume", box).succeeded().stdout()).contains("resumed");
    String snapshot = e2b("sandbox", "snapshot", "create", box).succeeded().stdout();
    String id = snapshot.replaceAll("(?s).*Created snapshot (\\S+) .*", "$1");
    assertThat(e2b("sandbox", "snapshot", "list", box).succeeded().stdout()).contains(id);
    assertThat(said(e2b("sandbox", "snapshot", "delete", id).succeeded())).contains(id);
    assertThat(e2b("sandbox", "kill", box).succeeded().stdout()).contains("killed");
    assertThat(said(e2b("sandbox", "kill", box))).contains("wasn't found");
  }

  @Test
  void a_template_is_built_and_what_its_service_says_is_in_the_logs() throws Exception {
    String name = "by-cli-" + ProcessHandle.current().pid();
    Files.writeString(
        folder.resolve("Dockerfile"), "FROM e2bdev/base\nRUN echo made > /home/user/made.txt\n");
    e2b(
            "template",
            "create",
            name,
            "--path",
            folder.toString(),
            "--cmd",
            "echo from the service; sleep 1000",
            "--ready-cmd",
            "true")
        .succeeded();
    assertThat(listed("template", "list", "--format", "json")).contains(name);
    String box = created(name);
    assertThat(e2b("sandbox", "exec", box, "cat", "/home/user/made.txt").succeeded().stdout())
        .isEqualTo("made\n");
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(e2b("sandbox", "logs", box, "--format", "json").succeeded().stdout())
                .contains("from the service"));
    e2b("sandbox", "kill", box).succeeded();
    Cli.Outcome published = e2b("template", "publish", name, "--yes");
    assertThat(published.exitCode()).isEqualTo(1);
    assertThat(said(published)).contains("for their project alone");
    e2b("template", "unpublish", name, "--yes").succeeded();
    e2b("template", "delete", name, "--yes").succeeded();
    assertThat(listed("template", "list", "--format", "json")).doesNotContain(name);
  }

  @Test
  void what_is_not_there_is_told() throws Exception {
    assertThat(e2b("sandbox", "info", "nosuchsandbox1").exitCode()).isEqualTo(1);
    assertThat(e2b("sandbox", "exec", "nosuchsandbox1", "true").exitCode()).isEqualTo(1);
    Cli.Outcome create = e2b("sandbox", "create", "no-such-template", "--detach");
    assertThat(create.exitCode()).isEqualTo(1);
    assertThat(said(create)).contains("template 'no-such-template' not found");
  }
}
