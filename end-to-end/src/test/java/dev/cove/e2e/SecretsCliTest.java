package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SecretBinding;
import dev.cove.sdk.Secrets;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Secrets by the command line. */
class SecretsCliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final String VALUE = "sk-cli-0123456789";

  @AfterEach
  void forgetAll() {
    for (Secrets.SecretInfo secret : server.cove().secrets().list()) {
      server.cove().secrets().delete(secret.name());
    }
  }

  private static InputStream typed(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void secrets_are_set_bound_listed_unbound_and_removed(@TempDir Path folder) throws Exception {
    Cli cli = Cli.of(server);
    cli.pipe(typed(VALUE + "\n"), "secret", "set", "FROM_INPUT").succeeded();
    Path file = Files.writeString(folder.resolve("key"), VALUE);
    assertThat(
            cli.run("secret", "set", "FROM_FILE", "--json", "--file", file.toString())
                .succeeded()
                .stdout())
        .contains("\"name\":\"FROM_FILE\"")
        .doesNotContain(VALUE);
    assertThat(cli.run("secret", "ls").succeeded().stdout())
        .contains("FROM_FILE")
        .contains("FROM_INPUT")
        .doesNotContain(VALUE);
    String id =
        cli.run("create", "--secret", "FROM_FILE@api.example.com").succeeded().stdout().strip();
    Sandbox box = server.cove().sandboxes().require(id);
    cli.run(
            "secret",
            "bind",
            id,
            "FROM_INPUT@*.example.org:8443=header:X-Key",
            "--method",
            "GET",
            "--path",
            "/v1/*",
            "--added",
            "--env",
            "KEY")
        .succeeded();
    assertThat(box.secrets())
        .containsExactly(
            SecretBinding.bearer("FROM_FILE", "api.example.com").env("FROM_FILE"),
            SecretBinding.header("FROM_INPUT", "X-Key", "*.example.org:8443")
                .methods("GET")
                .paths("/v1/*")
                .added()
                .env("KEY"));
    assertThat(cli.run("secret", "ls", id).succeeded().stdout())
        .contains("api.example.com")
        .contains("header:X-Key (added)");
    assertThat(cli.run("exec", id, "--", "printenv", "KEY").succeeded().stdout())
        .startsWith("coveplaceholder");
    cli.run("secret", "unbind", id, "FROM_INPUT").succeeded();
    assertThat(box.secrets()).hasSize(1);
    box.delete();
    cli.run("secret", "rm", "FROM_FILE", "FROM_INPUT").succeeded();
    assertThat(server.cove().secrets().list()).isEmpty();
  }

  @Test
  void what_makes_no_sense_is_one_sentence_and_changes_nothing() throws Exception {
    Cli cli = Cli.of(server);
    Cli.Outcome unknown = cli.run("create", "--secret", "MISSING@api.example.com");
    assertThat(unknown.exitCode()).isNotZero();
    assertThat(unknown.stderr().lines()).hasSize(1).first().asString().contains("MISSING");
    Cli.Outcome argument = cli.run("secret", "set", "KEY", VALUE);
    assertThat(argument.exitCode()).isNotZero();
    assertThat(argument.stderr()).doesNotContain(VALUE);
    Cli.Outcome broken = cli.pipe(typed("two\nlines-of-it"), "secret", "set", "KEY");
    assertThat(broken.exitCode()).isNotZero();
    assertThat(broken.stderr().lines()).hasSize(1).first().asString().doesNotContain("lines-of");
    assertThat(server.cove().secrets().list()).isEmpty();
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }
}
