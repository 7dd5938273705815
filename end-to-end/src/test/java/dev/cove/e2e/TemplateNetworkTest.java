package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkLimits;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Template;
import dev.cove.sdk.TemplateBuild;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What sandboxes may reach because their template says so, and how much of it. */
class TemplateNetworkTest {
  private static final Network TOLD =
      Network.denying()
          .allow("api.example.com:443")
          .limits(NetworkLimits.usual().connections(7).bytesPerHour(1_000_000));

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void a_sandbox_begins_with_its_templates_network_unless_it_is_told_another() {
    Template made = build(TemplateBuild.from("host").name("told").network(TOLD));
    assertThat(made.network()).contains(TOLD);
    try (Sandbox box = server.create(CreateOptions.defaults().template("told"));
        Sandbox other =
            server.create(CreateOptions.defaults().template("told").network(Network.denying()))) {
      assertThat(box.network()).isEqualTo(TOLD);
      assertThat(other.network()).isEqualTo(Network.denying());
      assertThat(box.explain("api.example.com:443").rule()).startsWith("allow");
      assertThat(other.explain("api.example.com:443").rule()).isEqualTo("default deny");
      box.deny("api.example.com:443");
      try (Sandbox sibling = server.create(CreateOptions.defaults().template("told"))) {
        assertThat(sibling.network()).isEqualTo(TOLD);
      }
    } finally {
      server.cove().templates().remove("told");
    }
  }

  @Test
  void what_is_made_of_a_template_says_the_same_of_networks() {
    build(TemplateBuild.from("host").name("told").network(TOLD));
    Template derived = build(TemplateBuild.from("told").name("derived").run("true"));
    assertThat(derived.network()).contains(TOLD);
    try (Sandbox box = server.create(CreateOptions.defaults().template("told"))) {
      box.setNetwork(Network.allowing());
      String checkpoint = box.checkpoint().id();
      Template promoted = build(TemplateBuild.fromCheckpoint(checkpoint).name("promoted"));
      assertThat(promoted.network()).contains(TOLD);
      try (Sandbox again = server.create(CreateOptions.defaults().checkpoint(checkpoint))) {
        assertThat(again.network()).isEqualTo(TOLD);
      }
      Template other =
          build(
              TemplateBuild.fromCheckpoint(checkpoint).name("promoted").network(Network.denying()));
      assertThat(other.network()).contains(Network.denying());
      var file = new ByteArrayOutputStream();
      server.cove().moves().exportTemplate("promoted@1", file);
      server
          .cove()
          .moves()
          .take(new ByteArrayInputStream(file.toByteArray()), Optional.of("moved"));
      assertThat(server.cove().templates().require("moved").network()).contains(TOLD);
    } finally {
      for (String name : new String[] {"told", "derived", "promoted", "moved"}) {
        server.cove().templates().remove(name);
      }
    }
  }

  private static Template build(TemplateBuild build) {
    return server.cove().templates().build(build);
  }

  @Test
  void a_limit_over_the_servers_is_refused_and_one_within_it_holds() {
    assertRefused(
        400,
        "invalid_request",
        () ->
            server.create(
                CreateOptions.defaults()
                    .network(Network.denying().limits(NetworkLimits.usual().connections(4_097)))));
    try (Sandbox box = server.create()) {
      assertRefused(
          400,
          "invalid_request",
          () ->
              box.setNetwork(
                  Network.denying().limits(NetworkLimits.usual().nameQueriesPerSecond(0))));
      assertThat(box.network()).isEqualTo(Network.denying());
      box.setNetwork(Network.denying().limits(NetworkLimits.usual().newConnectionsPerSecond(1)));
      String answers =
          box.exec(
                  Command.shell(
                      "for i in 1 2 3 4 5 6 7 8; do"
                          + " curl -s -m 10 -o /dev/null -w '%{http_code} ' http://192.0.2.1/; done"))
              .stdout();
      assertThat(answers).contains("403").contains("429");
      assertThat(box.networkLog(100)).anyMatch(line -> line.rule().equals("limit new connections"));
      box.setNetwork(Network.denying());
      assertThat(box.network().limits()).isEqualTo(NetworkLimits.usual());
    }
  }
}
