package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SecretBinding;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Keys that programs use and never have, with real clients inside and TLS servers outside. */
class SecretsTest {
  private static final String VALUE = "sk-live-4f9a2c7e81b3";
  private static final String NEXT = "sk-live-77d1e0c5a9f2";
  private static final String PASSWORD = "glpat-19c4b8e2d7f6";
  private static final String OWN = "/usr/local/share/ca-certificates/cove-sandbox-ca.crt";
  private static final String BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

  @RegisterExtension
  @Order(1)
  static final SecureWorld world =
      SecureWorld.of("api.test", "other.test", "git.test", "api.example.com");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(world::settings);

  @TempDir private static Path folder;
  private static SecureWorld.Place api;
  private static SecureWorld.Place other;
  private static SecureWorld.Place documented;

  @BeforeAll
  static void openTheWorld() throws Exception {
    api = world.echo("api.test", "127.77.3.1", 0);
    other = world.echo("other.test", "127.77.3.2", 0);
    documented = world.echo("api.example.com", "127.77.3.4", 443);
  }

  @BeforeEach
  void setTheSecret() {
    server.cove().secrets().set("API_KEY", VALUE);
  }

  private static Sandbox bound(SecretBinding... bindings) {
    var options =
        CreateOptions.defaults()
            .network(Network.denying().allow("api.test").allow("other.test").allow("git.test"));
    for (SecretBinding binding : bindings) {
      options = options.secret(binding);
    }
    return server.create(options);
  }

  private static SecretBinding bearer() {
    return SecretBinding.bearer("API_KEY", "api.test");
  }

  private static String url(String host, SecureWorld.Place place) {
    return "https://%s:%d/v1/me".formatted(host, place.port());
  }

  private static String shell(Sandbox box, String script) {
    var result = box.exec(Command.shell(script));
    return result.stdout() + result.stderr();
  }

  /** What a program gets that sends the variable as a key to the API. */
  private static String call(Sandbox box) {
    return shell(
        box, "timeout 60 curl -sSi -H \"Authorization: Bearer $API_KEY\" " + url("api.test", api));
  }

  private static void assertCalls(Sandbox box, String value) {
    int before = api.seen().size();
    String answer = call(box);
    assertThat(api.seen()).as(answer).hasSizeGreaterThan(before);
    assertThat(api.last()).contains("Bearer " + value);
    assertThat(answer).contains("200").contains("coveplaceholder").doesNotContain(value);
  }

  @Test
  void a_program_calls_an_api_with_a_key_that_it_does_not_have() {
    try (Sandbox box = bound(bearer())) {
      String inside = shell(box, "echo $API_KEY").strip();
      assertThat(inside).startsWith("coveplaceholder");
      assertCalls(box, VALUE);
      assertThat(shell(box, "curl -sS " + url("api.test", api)))
          .as("who does not send the placeholder has not asked for it")
          .doesNotContain("Authorization");
      assertThat(
              shell(
                  box,
                  "curl -sSk -H \"Authorization: Bearer $API_KEY\" " + url("other.test", other)))
          .contains(inside);
      assertThat(other.all()).contains(inside).doesNotContain(VALUE);
    }
  }

  @Test
  void a_new_value_an_unbinding_and_a_removal_hold_from_the_next_request_on() {
    try (Sandbox box = server.create(CreateOptions.defaults().network(Network.denying()))) {
      assertThat(shell(box, "echo [$API_KEY]; ls " + OWN)).contains("[]").contains("No such file");
      box.allow("api.test");
      box.setSecrets(List.of(bearer()));
      assertCalls(box, VALUE);
      server.cove().secrets().set("API_KEY", NEXT);
      assertCalls(box, NEXT);
      server.cove().secrets().delete("API_KEY");
      String without = call(box);
      assertThat(without).contains("200");
      assertThat(api.last()).contains("Bearer coveplaceholder").doesNotContain("sk-live");
      assertRefused(
          400, "invalid_request", () -> box.setSecrets(List.of(bearer(), bearer().env("X"))));
      server.cove().secrets().set("API_KEY", NEXT);
      assertCalls(box, NEXT);
      int before = api.seen().size();
      box.setSecrets(List.of());
      assertThat(shell(box, "echo [$API_KEY]")).contains("[]");
      shell(box, "curl -sSk -H 'Authorization: Bearer coveplaceholder' " + url("api.test", api));
      assertThat(api.seen()).hasSizeGreaterThan(before);
      assertThat(api.last()).doesNotContain("sk-live");
    }
  }

  @Test
  void rules_on_requests_hold_inside_tls_which_programs_trust_all_the_same() {
    try (Sandbox box =
        server.create(
            CreateOptions.defaults().network(Network.denying().allow("api.test GET /v1/*")))) {
      assertThat(shell(box, "curl -sS " + url("api.test", api))).startsWith("GET /v1/me");
      int before = api.seen().size();
      assertThat(shell(box, "curl -sSi -d x " + url("api.test", api))).contains("403");
      assertThat(api.seen()).hasSize(before);
    }
  }

  @Test
  void clients_of_all_kinds_trust_the_gateway_and_no_flag_is_needed() throws Exception {
    try (Sandbox box = bound(bearer())) {
      String url = url("api.test", api);
      box.files()
          .write(
              "/tmp/Get.java",
              """
              import java.net.URI;
              import java.net.http.*;
              class Get {
                public static void main(String[] a) throws Exception {
                  var request = HttpRequest.newBuilder(URI.create(a[0]))
                      .header("Authorization", "Bearer " + System.getenv("API_KEY")).build();
                  var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                  System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
                }
              }
              """);
      box.files()
          .write(
              "/tmp/get.py",
              """
              import os, sys, urllib.request
              key = os.environ["API_KEY"]
              ask = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + key})
              print(urllib.request.urlopen(ask).read().decode())
              """);
      box.files()
          .write(
              "/tmp/get.js",
              """
              const headers = { Authorization: "Bearer " + process.env.API_KEY };
              require("https").get(process.argv[2], { headers }, (r) => r.pipe(process.stdout))
                .on("error", (e) => { console.log(e.message); process.exit(1); });
              """);
      List<String> clients =
          List.of(
              "curl -sS -H \"Authorization: Bearer $API_KEY\" " + url,
              "env -i API_KEY=$API_KEY /usr/bin/curl -sS -H \"Authorization: Bearer $API_KEY\" "
                  + url,
              "python3 /tmp/get.py " + url,
              "env -i API_KEY=$API_KEY /usr/bin/python3 /tmp/get.py " + url,
              "java /tmp/Get.java " + url,
              "node /tmp/get.js " + url);
      for (String client : clients) {
        if (isThere(client)) {
          int before = api.seen().size();
          String answer = shell(box, client);
          assertThat(api.seen()).as("%s: %s", client, answer).hasSize(before + 1);
          assertThat(api.last()).as(client).contains("Bearer " + VALUE);
          assertThat(answer).as(client).contains("coveplaceholder").doesNotContain(VALUE);
        }
      }
      assertThat(shell(box, "find / -xdev -name '*.key' -newer /proc/1/stat 2>/dev/null"))
          .as("of its own authority a sandbox has the certificate alone")
          .isEmpty();
    }
  }

  /** What this host's programs are is not ours to say; those above are on most. */
  private static boolean isThere(String client) {
    String program = client.split(" ", 2)[0];
    return Files.isExecutable(Path.of("/usr/bin", program));
  }

  @Test
  void git_clones_and_pushes_with_a_token_that_is_not_inside() throws Exception {
    var forge = new GitOverHttps(folder, "me", PASSWORD);
    SecureWorld.Place git = world.place("git.test", "127.77.3.3", 0, forge);
    server.cove().secrets().set("GIT_TOKEN", PASSWORD);
    try (Sandbox box = bound(SecretBinding.basic("GIT_TOKEN", "me", "git.test").added())) {
      String said =
          shell(
              box,
              "export GIT_TERMINAL_PROMPT=0; cd /tmp; git clone -q https://git.test:%d/repo.git"
                      .formatted(git.port())
                  + " && cat repo/README && cd repo && echo more >> README"
                  + " && git -c user.name=a -c user.email=a@example.com commit -qam 'From inside'"
                  + " && git push -q origin main; echo $?");
      assertThat(said).contains("hello").endsWith("0\n");
      assertThat(forge.lastMessage()).isEqualTo("From inside");
      assertThat(shell(box, "grep -r " + PASSWORD + " /tmp/repo; env | grep " + PASSWORD))
          .isEmpty();
    }
  }

  @Test
  void forks_restored_sandboxes_and_a_server_after_a_crash_keep_it_all() throws Exception {
    Sandbox box = bound(bearer());
    String checkpoint = box.checkpoint().id();
    box.restore(checkpoint);
    assertCalls(box, VALUE);
    String own = box.files().readString(OWN);
    try (Sandbox child = box.fork()) {
      assertCalls(child, VALUE);
      String childs = child.files().readString(OWN);
      assertThat(childs).as("an authority of its own").isNotEqualTo(own);
      assertThat(child.files().readString(BUNDLE)).contains(childs).doesNotContain(own);
      child.setSecrets(List.of());
      assertThat(child.secrets()).isEmpty();
      assertThat(box.secrets()).hasSize(1);
    }
    box.detach();
    server.kill();
    server.start();
    Sandbox again = server.cove().sandboxes().require(box.id());
    assertCalls(again, VALUE);
    assertThat(again.files().readString(OWN)).isEqualTo(own);
    assertThat(again.files().readString(BUNDLE)).containsOnlyOnce(own);
    server.cove().sandboxes().delete(again.id());
    assertThat(server.home().resolve("data/networks"))
        .isDirectoryNotContaining(file -> file.getFileName().toString().startsWith(box.id()));
  }

  @Test
  void a_secret_that_is_bound_while_its_sandbox_is_paused_is_there_when_it_goes_on() {
    try (Sandbox box =
        server.create(CreateOptions.defaults().network(Network.denying().allow("api.test")))) {
      box.pause();
      box.setSecrets(List.of(bearer()));
      assertThat(box.fetchInfo().state()).isEqualTo("paused");
      assertCalls(box, VALUE);
      assertThat(box.files().readString(BUNDLE)).contains(box.files().readString(OWN));
    }
  }

  @Test
  void a_restore_in_place_to_before_the_binding_leaves_what_is_bound_in_use() throws Exception {
    try (Sandbox box =
        server.create(CreateOptions.defaults().network(Network.denying().allow("api.test")))) {
      String before = box.checkpoint().id();
      box.setSecrets(List.of(bearer()));
      box.files().write("/home/user/later", "x");
      List<Long> agent = HostProcesses.inSandbox(box.id());
      box.restore(before);
      assertThat(box.files().exists("/home/user/later")).isFalse();
      assertThat(HostProcesses.inSandbox(box.id())).as("the same agent").isEqualTo(agent);
      assertThat(box.secrets()).hasSize(1);
      assertCalls(box, VALUE);
    }
  }

  @Test
  void a_sandbox_without_a_certificate_store_gets_one() {
    try (Sandbox box = server.create(CreateOptions.defaults().network(Network.denying()))) {
      box.exec(Command.shell("rm -rf /etc/ssl/certs").user("root"));
      box.allow("api.test");
      box.setSecrets(List.of(bearer()));
      assertCalls(box, VALUE);
      assertThat(shell(box, "grep -c BEGIN " + BUNDLE).strip()).isNotEqualTo("1");
    }
    try (Sandbox hostile = server.create(CreateOptions.defaults().network(Network.denying()))) {
      hostile.exec(
          Command.shell("rm -f %s; truncate -s 5M %s".formatted(BUNDLE, BUNDLE)).user("root"));
      assertRefused(422, "guest_refused", () -> hostile.setSecrets(List.of(bearer())));
      assertThat(hostile.secrets()).as("nothing has changed").isEmpty();
    }
  }

  @Test
  void a_secrets_value_is_nowhere_but_in_the_request() throws Exception {
    try (Sandbox box = bound(bearer())) {
      RunningCommand holds =
          box.start(
              Command.of(
                  "python3",
                  "-c",
                  """
                  import os, subprocess, sys, time
                  key = os.environ["API_KEY"]
                  got = subprocess.run(["curl", "-sSi", "-H", "Authorization: Bearer " + key,
                                        sys.argv[1]], capture_output=True).stdout
                  open("/tmp/kept", "wb").write(got + key.encode())
                  os.sync()
                  print("done", flush=True)
                  time.sleep(600)
                  """,
                  url("api.test", api)));
      assertThat(new String(holds.stdout().readNBytes(5), StandardCharsets.UTF_8))
          .isEqualTo("done\n");
      assertThat(api.last()).contains("Bearer " + VALUE);
      String placeholder = shell(box, "echo $API_KEY").strip();
      box.checkpoint();
      var memory = new ProcessMemory(HostProcesses.inSandbox(box.id()));
      assertThat(memory.holds(placeholder)).as("what is looked for is found").isTrue();
      assertThat(memory.holds(VALUE)).isFalse();
      assertThat(shell(box, "env")).contains(placeholder).doesNotContain(VALUE);
      for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
        assertThat(HostProcesses.commandLine(process.pid()))
            .noneMatch(word -> word.contains(VALUE));
      }
      assertThat(homeHolds(placeholder)).as("what is looked for is found").isTrue();
      assertThat(homeHolds(VALUE))
          .as("images, checkpoints, logs at the finest level, the ledger and the vault")
          .isFalse();
      assertThat(Files.readString(server.log())).contains(" DEBUG ");
      try (var answers = new RawApi(server)) {
        for (String path :
            List.of(
                "/api/v1/secrets",
                "/api/v1/sandboxes/" + box.id(),
                "/api/v1/sandboxes/" + box.id() + "/secrets",
                "/api/v1/sandboxes/" + box.id() + "/network",
                "/api/v1/sandboxes/" + box.id() + "/network/log",
                "/api/v1/sandboxes/" + box.id() + "/processes",
                "/metrics")) {
          assertThat(answers.get(path).body()).as(path).isNotEmpty().doesNotContain(VALUE);
        }
      }
    }
  }

  /** Whether any file of the server's does; of images only what is not a hole is read. */
  private static boolean homeHolds(String text) throws Exception {
    List<Process> pipe =
        ProcessBuilder.startPipeline(
            List.of(
                new ProcessBuilder("tar", "-S", "-cf", "-", "-C", server.home().toString(), "."),
                new ProcessBuilder("grep", "-acF", "-e", text)));
    String count =
        new String(pipe.getLast().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return !count.strip().equals("0");
  }

  @Test
  void what_the_readme_shows_works() throws Exception {
    String readme = Files.readString(Launcher.repository().resolve("README.md"));
    var block =
        Pattern.compile(
                "(?s)a test runs this block with a server of its own -->\\R```sh\\R(.*?)```")
            .matcher(readme);
    assertThat(block.find()).isTrue();
    Path place = Files.createDirectories(folder.resolve("readme"));
    Launcher cove = Launcher.installedIn(place, server.home());
    Files.writeString(place.resolve("key.txt"), VALUE + "\n");
    Files.writeString(place.resolve("new-key.txt"), NEXT + "\n");
    var outcome = cove.script(block.group(1));
    assertThat(outcome.exitCode()).as(outcome.stderr()).isZero();
    assertThat(documented.seen()).anyMatch(request -> request.contains("Bearer " + VALUE));
    assertThat(outcome.stdout()).contains("coveplaceholder").doesNotContain(VALUE);
    assertThat(server.cove().sandboxes().require("agent").secrets()).isEmpty();
    server.cove().sandboxes().delete("agent");
  }
}
