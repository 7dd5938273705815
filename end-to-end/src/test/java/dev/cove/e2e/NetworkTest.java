package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkAnswer;
import dev.cove.sdk.NetworkLogEntry;
import dev.cove.sdk.NetworkQuestion;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TemplateBuild;
import dev.cove.testing.world.WorldNames;
import dev.cove.testing.world.WorldServer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a sandbox reaches, with real clients inside and a world of our own outside. */
class NetworkTest {
  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("secure.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(world::settings);

  private static WorldServer allowed;
  private static WorldServer evil;
  private static WorldServer secure;

  @BeforeAll
  static void openTheWorld() throws Exception {
    allowed = world.web("127.77.0.1");
    evil = world.web("127.77.0.2");
    secure = world.secureWeb("secure.test", "127.77.0.3");
    WorldNames names = world.names();
    names.put("allowed.test", "127.77.0.1");
    names.put("other.test", "127.77.0.1");
    names.put("evil.test", "127.77.0.2");
    names.put("secure.test", "127.77.0.3");
    names.put("inner.test", "10.9.9.9");
    names.put("metadata.test", "169.254.169.254");
  }

  private static Sandbox create(Network network) {
    return server.create(CreateOptions.defaults().network(network));
  }

  private static String curl(Sandbox box, String... arguments) {
    ExecResult result =
        box.exec(
            Command.shell(
                "timeout 20 curl -sS " + String.join(" ", arguments) + " 2>&1; echo \" [$?]\""));
    return result.stdout().strip();
  }

  private static String at(String name, WorldServer place) {
    return "http://%s:%d/".formatted(name, place.port());
  }

  @Test
  void a_sandbox_reaches_nothing_unless_it_may() throws Exception {
    try (Sandbox box = server.create()) {
      int before = world.names().asked().size();
      String answer = curl(box, "-i", at("allowed.test", allowed));
      assertThat(answer)
          .contains("403")
          .contains("Decided by: default deny")
          .contains("cove network allow %s allowed.test:%d".formatted(box.id(), allowed.port()));
      assertThat(curl(box, "https://allowed.test:" + allowed.port() + "/"))
          .contains("access denied");
      assertThat(box.exec("bash", "-c", "exec 3<>/dev/tcp/192.0.2.1/9; cat <&3").stderr())
          .contains("reset by peer");
      assertThat(world.names().asked()).as("what is denied is not looked up").hasSize(before);
      assertThat(box.networkLog(10))
          .extracting(NetworkLogEntry::outcome)
          .isNotEmpty()
          .containsOnly("denied");
    }
  }

  @Test
  void a_name_that_is_allowed_is_reached_and_no_other() throws Exception {
    int connections = evil.connections();
    try (Sandbox box = create(Network.denying().allow("allowed.test"))) {
      assertThat(curl(box, at("allowed.test", allowed) + "x")).isEqualTo("GET /x HTTP/1.1 [0]");
      assertThat(curl(box, at("evil.test", evil))).contains("may not reach evil.test");
      assertThat(curl(box, at("allowed.test.evil.test", evil))).contains("may not reach");
      assertThat(curl(box, at("sub.allowed.test", evil))).contains("may not reach");
      assertThat(curl(box, "-H", "Host:evil.test", at("allowed.test", allowed)))
          .doesNotContain("GET /");
      assertThat(curl(box, at("127.77.0.1", allowed))).contains("[7]");
      assertThat(curl(box, at("missing.allowed.test", evil))).contains("may not reach");
    }
    assertThat(evil.connections()).isEqualTo(connections);
  }

  @Test
  void tls_passes_untouched_and_only_with_the_name_that_was_asked_for() {
    int connections = secure.connections();
    try (Sandbox box = create(Network.denying().allow("secure.test"))) {
      String url = "https://secure.test:%d/y".formatted(secure.port());
      assertThat(curl(box, "-k", "-v", url)).contains("CN=the world").contains("GET /y HTTP/1.1");
      assertThat(
              curl(
                  box,
                  "-k",
                  "--connect-to",
                  "evil.test::secure.test:",
                  "https://evil.test:" + secure.port() + "/"))
          .contains("access denied");
      assertThat(curl(box, url)).as("it is not our certificate").contains("self-signed");
      assertThat(
              box.exec(
                      Command.shell(
                          "echo | timeout 10 openssl s_client -noservername -connect secure.test:%d"
                              .formatted(secure.port())))
                  .stdout())
          .doesNotContain("BEGIN CERTIFICATE");
    }
    assertThat(secure.connections() - connections).isLessThanOrEqualTo(2);
  }

  @Test
  void what_leads_inside_is_refused_under_any_policy() {
    try (Sandbox box = create(Network.allowing().allow("10.9.9.9").allow("169.254.169.254"))) {
      assertThat(curl(box, "http://inner.test/")).contains("never private");
      assertThat(curl(box, "http://metadata.test/")).contains("never metadata");
      assertThat(curl(box, "http://169.254.169.254/latest/meta-data/")).contains("never metadata");
      assertThat(curl(box, "http://10.9.9.9/")).contains("never private");
      assertThat(curl(box, "'http://[fd00:ec2::254]/'")).contains("never metadata");
      assertThat(curl(box, "http://2852039166/")).contains("never metadata");
      assertThat(curl(box, "'http://[::ffff:10.9.9.9]/'")).contains("never private");
      String own = InetAddress.getLoopbackAddress().getHostAddress();
      assertThat(curl(box, "http://" + own + ":" + server.url().getPort() + "/healthz"))
          .as("its own loopback")
          .contains("[7]");
      assertThat(box.explain("inner.test:443").remedy()).isEmpty();
    }
  }

  @Test
  void a_program_cannot_ask_another_name_server() {
    try (Sandbox box = create(Network.allowing())) {
      String ask =
          """
          import socket
          peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
          peer.settimeout(5)
          peer.connect(("%s", 53))
          try:
            peer.send(b"\\x00\\x01\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x04evil\\x04test\\x00\\x00\\x01\\x00\\x01")
            print(len(peer.recv(512)) > 12)
          except OSError as e: print(type(e).__name__)
          """;
      assertThat(box.exec("python3", "-c", ask.formatted("192.0.2.53")).stdout())
          .isEqualTo("ConnectionRefusedError\n");
      assertThat(box.exec("python3", "-c", ask.formatted("198.18.0.1")).stdout())
          .isEqualTo("True\n");
    }
  }

  @Test
  void a_change_of_policy_cuts_what_is_open() throws Exception {
    try (Sandbox box = create(Network.denying().allow("allowed.test"))) {
      RunningCommand client =
          box.start(
              Command.of(
                  "bash",
                  "-c",
                  "exec 3<>/dev/tcp/allowed.test/%d; echo up; cat <&3; echo cut"
                      .formatted(allowed.port())));
      var out = client.stdout();
      assertThat(new String(out.readNBytes(3), StandardCharsets.UTF_8)).isEqualTo("up\n");
      box.deny("allowed.test");
      assertThat(new String(out.readAllBytes(), StandardCharsets.UTF_8)).contains("cut");
      assertThat(curl(box, at("allowed.test", allowed))).contains("deny allowed.test");
      box.allow("allowed.test");
      assertThat(curl(box, at("allowed.test", allowed))).contains("GET /");
    }
  }

  @Test
  void a_killed_server_leaves_nothing_open_and_comes_back_with_the_same_rules() throws Exception {
    try (Sandbox box = create(Network.denying().allow("allowed.test"))) {
      box.detach();
      String address = box.exec("getent", "hosts", "allowed.test").stdout();
      box.spawn(
          Command.shell(
              "while true; do curl -sS -m 2 %s >> /tmp/out 2>&1; echo >> /tmp/out; sleep 0.1; done"
                  .formatted(at("allowed.test", allowed))));
      Awaitility.await().until(() -> allowed.connections() > 2);
      server.kill();
      int before = allowed.connections();
      Thread.sleep(Duration.ofSeconds(1));
      assertThat(allowed.connections()).isEqualTo(before);
      server.start();
      Awaitility.await("the program inside to get through again")
          .pollInterval(Duration.ofMillis(10))
          .atMost(Duration.ofSeconds(1))
          .until(() -> allowed.connections() > before);
      Sandbox again = server.cove().sandboxes().require(box.id());
      assertThat(again.files().readString("/tmp/out")).contains("GET /").contains("curl: (");
      assertThat(again.exec("getent", "hosts", "allowed.test").stdout()).isEqualTo(address);
      assertThat(curl(again, at("evil.test", evil))).contains("may not reach");
      assertThat(again.network().allow()).containsExactly("allowed.test");
      server.cove().sandboxes().delete(box.id());
    }
  }

  @Test
  void forks_and_restored_sandboxes_keep_their_network() {
    try (Sandbox box = create(Network.denying().allow("allowed.test"))) {
      String checkpoint = box.checkpoint().id();
      box.restore(checkpoint);
      assertThat(curl(box, at("allowed.test", allowed))).contains("GET /");
      try (Sandbox child = box.fork()) {
        assertThat(curl(child, at("allowed.test", allowed))).contains("GET /");
        assertThat(curl(child, at("evil.test", evil))).contains("may not reach");
        child.setNetwork(Network.denying());
        assertThat(curl(child, at("allowed.test", allowed))).contains("may not reach");
        assertThat(curl(box, at("allowed.test", allowed))).contains("GET /");
      }
      try (Sandbox fresh = server.create(CreateOptions.defaults().checkpoint(checkpoint))) {
        assertThat(curl(fresh, at("allowed.test", allowed))).contains("may not reach");
      }
    }
  }

  @Test
  void the_owner_is_asked_where_he_wants_to_be() throws Exception {
    try (Sandbox box = create(Network.asking().attended(true))) {
      RunningCommand client =
          box.start(Command.shell("curl -sS -m 30 " + at("allowed.test", allowed)));
      List<NetworkQuestion> asked =
          Awaitility.await().until(box::networkQuestions, list -> !list.isEmpty());
      assertThat(asked.getFirst().destination()).isEqualTo("allowed.test:" + allowed.port());
      box.answer(asked.getFirst().id(), NetworkAnswer.ALWAYS);
      assertThat(new String(client.stdout().readAllBytes(), StandardCharsets.UTF_8))
          .contains("GET /");
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(box.network().allow()).containsExactly("allowed.test:" + allowed.port()));
      assertRefused(404, "not_found", () -> box.answer("0123456789ab", NetworkAnswer.NO));
      box.setNetwork(Network.asking());
      assertThat(curl(box, at("evil.test", evil))).contains("ask unattended");
    }
  }

  @Test
  void a_program_that_insists_on_a_proxy_finds_one_with_the_same_rules() {
    try (Sandbox box = create(Network.denying().allow("allowed.test").allow("secure.test"))) {
      String proxy = "-x http://198.18.0.1:3128";
      assertThat(curl(box, proxy, at("allowed.test", allowed))).contains("GET /");
      assertThat(curl(box, proxy, at("evil.test", evil))).doesNotContain("GET /");
      assertThat(curl(box, proxy, "-k", "https://secure.test:%d/z".formatted(secure.port())))
          .contains("GET /z");
      assertThat(curl(box, proxy, "-k", "https://evil.test:%d/z".formatted(secure.port())))
          .doesNotContain("GET /z");
    }
  }

  @Test
  void steps_of_a_build_reach_packages_and_nothing_else() throws Exception {
    world.names().put("deb.debian.org", "127.77.0.9");
    try (WorldServer _ = new WorldServer("127.77.0.9", 80, SecureWorld::web)) {
      var made =
          server
              .cove()
              .templates()
              .build(
                  TemplateBuild.from("host")
                      .name("fetched")
                      .run("curl -s http://deb.debian.org/pool > /home/user/fetched")
                      .run(
                          "curl -s %s > /home/user/denied".formatted(at("allowed.test", allowed))));
      try (Sandbox box = server.create(CreateOptions.defaults().template(made.reference()))) {
        assertThat(box.files().readString("/home/user/fetched")).isEqualTo("GET /pool HTTP/1.1");
        assertThat(box.files().readString("/home/user/denied"))
            .contains("may not reach allowed.test");
      }
      server.cove().templates().remove(made.reference());
    }
  }

  @Test
  void rules_that_make_no_sense_are_refused_before_anything_is_made() {
    int boxes = server.cove().sandboxes().list().size();
    for (String rule : List.of("", "a b c", "http://x", "*.*.test", "1.2.3", "10.0.0.1/8", "x:0")) {
      assertRefused(400, "invalid_request", () -> create(Network.denying().allow(rule)));
    }
    assertThat(server.cove().sandboxes().list()).hasSize(boxes);
  }
}
