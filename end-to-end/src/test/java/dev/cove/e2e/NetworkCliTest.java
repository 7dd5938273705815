package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.Sandbox;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What may be reached, by the command line. */
class NetworkCliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void the_command_line_shows_changes_and_explains_what_may_be_reached() throws Exception {
    Cli cli = Cli.of(server);
    try (Sandbox box =
        server.create(CreateOptions.defaults().network(Network.denying().preset("git")))) {
      assertThat(cli.run("network", "show", box.id()).succeeded().stdout())
          .contains("deny")
          .contains("git");
      Cli.Outcome denied = cli.run("network", "explain", box.id(), "example.com:443");
      assertThat(denied.exitCode()).isEqualTo(1);
      assertThat(denied.stdout())
          .contains("default deny")
          .contains("cove network allow %s example.com:443".formatted(box.id()));
      cli.run("network", "allow", box.id(), "*.example.com:443").succeeded();
      cli.run("network", "deny", box.id(), "www.example.com").succeeded();
      assertThat(box.network().allow()).containsExactly("*.example.com:443");
      assertThat(box.network().deny()).containsExactly("www.example.com");
      assertThat(box.exec("sh", "-c", "curl -s http://192.0.2.1/").stdout())
          .contains("cove network allow");
      assertThat(cli.run("network", "log", box.id()).succeeded().stdout())
          .contains("192.0.2.1:80")
          .contains("denied")
          .contains("default deny");
      assertThat(cli.run("network", "log", box.id(), "--json").succeeded().stdout())
          .contains("\"rule\":\"default deny\"");
    }
  }

  @Test
  void a_rule_that_makes_no_sense_is_one_sentence_and_changes_nothing() throws Exception {
    Cli cli = Cli.of(server);
    try (Sandbox box = server.create()) {
      Cli.Outcome outcome = cli.run("network", "allow", box.id(), "http://example.com/");
      assertThat(outcome.exitCode()).isNotZero();
      assertThat(outcome.stderr().lines()).hasSize(1).first().asString().contains("is no rule");
      assertThat(box.network()).isEqualTo(Network.denying());
    }
    assertThat(cli.run("run", "--allow", "x:0", "--", "true").exitCode()).isNotZero();
  }
}
