package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Secrets;
import dev.cove.sdk.TemplateBuild;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The short forms for coding agents. A program stands in for the agent, in the template that it
 * would be installed in, and a TLS server for its model.
 */
class AgentCliTest {
  private static final String KEY = "sk-ant-5d1f0b7c93e8a642";

  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("models.example.com");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(world::settings);

  private static SecureWorld.Place model;

  @TempDir Path home;
  private Path project = Path.of("");
  private Cli cli = Cli.of(server);

  @BeforeAll
  static void installTheAgent() throws Exception {
    model = world.echo("models.example.com", "127.77.5.1", 0);
    server
        .cove()
        .templates()
        .build(
            TemplateBuild.from("host")
                .name("agent-claude")
                .asUser("root")
                .run(
                    """
                    cat > /usr/local/bin/claude <<'END'
                    #!/bin/sh
                    echo "called with: $*"
                    echo "in $(pwd), with a key that begins $(echo $ANTHROPIC_API_KEY | cut -c1-15)"
                    test -t 1 && echo "on a terminal of $(stty size)"
                    curl -s -H "x-api-key: $ANTHROPIC_API_KEY" "$ANTHROPIC_BASE_URL/v1/messages" > answer.txt
                    curl -s -m 5 https://elsewhere.example.com/ || echo "elsewhere is refused"
                    END
                    chmod 755 /usr/local/bin/claude\
                    """)
                .asUser("user"));
  }

  @BeforeEach
  void makeProject() throws Exception {
    project = Files.createDirectory(home.toRealPath().resolve("app"));
    Files.writeString(project.resolve("a.txt"), "a\n");
    cli =
        Cli.of(server)
            .in(project)
            .with("XDG_STATE_HOME", home.resolve("state").toString())
            .with("ANTHROPIC_API_KEY", KEY)
            .with("ANTHROPIC_BASE_URL", "https://models.example.com:" + model.port());
  }

  @AfterEach
  void removeAll() {
    server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
    for (Secrets.SecretInfo secret : server.cove().secrets().list()) {
      server.cove().secrets().delete(secret.name());
    }
  }

  @Test
  void the_agent_works_on_this_folder_with_a_key_that_it_never_has() throws Exception {
    Files.writeString(project.resolve("cove.toml"), "[agent]\narguments = [\"--model\", \"m\"]\n");
    Cli.Outcome run = cli.run("claude", "--", "-p", "fix it");

    assertThat(run.succeeded().stdout())
        .contains("called with: --dangerously-skip-permissions --model m -p fix it")
        .contains("in /home/user/app, with a key that begins coveplaceholder")
        .contains("elsewhere is refused")
        .doesNotContain(KEY);
    assertThat(run.stderr())
        .contains("ANTHROPIC_API_KEY is a secret of Cove's now")
        .contains("1 change in ")
        .doesNotContain(KEY);
    assertThat(model.last()).contains(KEY);
    assertThat(cli.run("diff").succeeded().stdout()).contains("A answer.txt").doesNotContain(KEY);
    assertThat(project.resolve("answer.txt")).doesNotExist();
  }

  @Test
  void a_key_that_is_there_already_is_used_and_not_replaced() throws Exception {
    server.cove().secrets().set("ANTHROPIC_API_KEY", "sk-ant-kept-before");

    assertThat(cli.run("claude", "--ask").succeeded().stdout()).contains("called with: \n");
    assertThat(model.last()).contains("sk-ant-kept-before").doesNotContain(KEY);
  }

  @Test
  void in_a_terminal_the_review_is_offered_at_the_end() throws Exception {
    try (Terminal terminal = cli.inTerminal(24, 100, "claude")) {
      terminal.expect("on a terminal of 24 100");
      terminal.expect("1 change\\. Review now\\? \\[Y/n\\]");
      terminal.type("\r");
      terminal.expect("answer\\.txt");
      terminal.type("a");
      terminal.expect("All files are decided");
      terminal.type("x");
      terminal.expect("Apply 1 of 1 files");
      terminal.type("y");
      terminal.expect("applied +answer.txt");
      assertThat(terminal.awaitExit()).isZero();
    }
    assertThat(project.resolve("answer.txt")).exists();
    assertThat(server.cove().sandboxes().list()).as("nothing is left to review").isEmpty();
  }

  @Test
  void an_address_that_is_none_is_told_before_anything_is_made() throws Exception {
    Cli.Outcome run = cli.with("ANTHROPIC_BASE_URL", "http://plain.example.com").run("claude");

    assertThat(run.exitCode()).isEqualTo(125);
    assertThat(run.stderr()).contains("ANTHROPIC_BASE_URL is no address such as https://");
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }
}
