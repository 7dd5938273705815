package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkLogEntry;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sandboxes that reach each other by name, with real clients and servers in them. */
class GroupsTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  /** Says who has connected, and what is asked for; on the loopback address alone. */
  private static final String SERVICE =
      """
      import http.server
      class Service(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
          body = (self.client_address[0] + " " + self.path + "\\n").encode()
          self.send_response(200)
          self.send_header("Content-Length", str(len(body)))
          self.end_headers()
          self.wfile.write(body)
      http.server.ThreadingHTTPServer(("127.0.0.1", 5432), Service).serve_forever()
      """;

  private static Sandbox create(String name, String group, String... ports) {
    CreateOptions options = CreateOptions.defaults().name(name).group(group);
    return server.create(ports.length == 0 ? options : options.groupPorts(ports));
  }

  private static void serve(Sandbox box) {
    box.spawn(Command.of("python3", "-c", SERVICE));
    Awaitility.await()
        .until(() -> box.exec("curl", "-sf", "http://127.0.0.1:5432/").exitCode() == 0);
  }

  private static String curl(Sandbox box, String url) {
    return box.exec(Command.shell("timeout 20 curl -sS -m 15 '" + url + "' 2>&1; echo \"[$?]\""))
        .stdout()
        .strip();
  }

  @Test
  void sandboxes_of_a_group_reach_each_other_by_name_and_others_do_not() {
    try (Sandbox db = create("db", "shop");
        Sandbox web = create("web", "shop");
        Sandbox stranger = create("stranger", "other");
        Sandbox loner = server.create(CreateOptions.defaults().network(Network.allowing()))) {
      serve(db);
      assertThat(curl(web, "http://db:5432/x")).isEqualTo("198.18.0.1 /x\n[0]");
      assertThat(curl(web, "http://db.internal:5432/y")).startsWith("198.18.0.1 /y");
      assertThat(curl(web, "http://" + db.id() + ":5432/z")).startsWith("198.18.0.1 /z");
      assertThat(curl(db, "http://db:5432/self")).startsWith("198.18.0.1 /self");
      assertThat(curl(web, "http://db:5433/")).contains("nothing listens there");
      NetworkLogEntry line = web.networkLog(100).getFirst();
      assertThat(line.rule()).isEqualTo("group shop");
      assertThat(line.dialled()).isEqualTo("sandbox " + db.id());
      assertThat(web.explain("db:5432").rule()).isEqualTo("group shop");

      assertThat(curl(stranger, "http://db:5432/x")).contains("default deny");
      assertThat(curl(stranger, "http://nobody:5432/x")).contains("default deny");
      assertThat(curl(stranger, "http://%s:5432/x".formatted(db.id()))).contains("default deny");
      assertThat(curl(loner, "http://db:5432/x")).contains("Could not resolve host");
      assertThat(curl(web, "http://stranger:5432/x")).contains("default deny");

      assertThat(web.info().group()).contains("shop");
      assertThat(web.group().orElseThrow().members())
          .extracting(SandboxGroup.Member::name)
          .containsExactly("db", "web");
    }
  }

  @Test
  void a_change_of_group_or_ports_holds_at_once_for_what_is_open() throws Exception {
    try (Sandbox db = create("db", "shop", "5432");
        Sandbox web = create("web", "shop")) {
      serve(db);
      assertThat(openAndThen(web, () -> db.joinGroup("shop", "80", "8000-8099"))).contains("cut");
      assertThat(curl(web, "http://db:5432/")).contains("group shop offers 80,8000-8099");
      db.joinGroup("shop");
      assertThat(openAndThen(web, web::leaveGroup)).contains("cut");
      assertThat(web.group()).isEmpty();
      assertThat(curl(web, "http://db:5432/")).contains("default deny");
      web.joinGroup("shop");
      assertThat(openAndThen(web, () -> web.deny("db:5432"))).contains("cut");
      assertThat(curl(web, "http://db:5432/")).contains("deny db:5432");
      web.allow("db:5432");
      assertThat(openAndThen(web, () -> server.cove().sandboxes().delete(db.id()))).contains("cut");
      assertThat(curl(web, "http://other:5432/")).contains("default deny");
    }
  }

  private static String openAndThen(Sandbox from, Runnable change) throws IOException {
    RunningCommand client =
        from.start(
            Command.of("bash", "-c", "exec 3<>/dev/tcp/db/5432; echo up; cat <&3; echo cut"));
    var out = client.stdout();
    assertThat(new String(out.readNBytes(3), StandardCharsets.UTF_8)).isEqualTo("up\n");
    change.run();
    return new String(out.readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void a_paused_member_is_woken_by_a_connection_and_by_what_is_sent_on_an_open_one()
      throws Exception {
    try (Sandbox db = create("db", "shop");
        Sandbox web = create("web", "shop")) {
      serve(db);
      db.pause();
      assertThat(curl(web, "http://db:5432/woken")).isEqualTo("198.18.0.1 /woken\n[0]");
      assertThat(db.fetchInfo().state()).isEqualTo("running");

      String client =
          "exec 3<>/dev/tcp/db/5432; echo up; read _;"
              + " printf 'GET /kept HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3";
      try (RunningCommand open = web.start(Command.of("bash", "-c", client).openStdin())) {
        assertThat(open.stdout().readNBytes(3)).asString().isEqualTo("up\n");
        db.pause();
        open.stdin().write("now\n".getBytes(StandardCharsets.UTF_8));
        open.stdin().flush();
        assertThat(open.stdout().readAllBytes()).asString().endsWith("198.18.0.1 /kept\n");
      }
      assertThat(db.fetchInfo().state()).isEqualTo("running");
    }
  }

  @Test
  void a_member_that_was_paused_when_the_server_was_killed_is_woken_as_well() throws Exception {
    Sandbox db = create("db", "shop");
    Sandbox web = create("web", "shop");
    serve(db);
    db.pause();
    db.detach();
    web.detach();
    server.kill();
    server.start();
    Sandbox webAgain = server.cove().sandboxes().require(web.id());
    try {
      assertThat(curl(webAgain, "http://db:5432/again")).startsWith("198.18.0.1 /again");
    } finally {
      server.cove().sandboxes().delete(db.id());
      server.cove().sandboxes().delete(web.id());
    }
  }

  @Test
  void a_group_outlives_a_killed_server_and_forks_are_in_it() throws Exception {
    Sandbox db = create("db", "shop", "5432");
    Sandbox web = create("web", "shop");
    serve(db);
    String address = web.exec("getent", "hosts", "db").stdout();
    db.detach();
    web.detach();
    server.kill();
    server.start();
    Sandbox dbAgain = server.cove().sandboxes().require(db.id());
    Sandbox webAgain = server.cove().sandboxes().require(web.id());
    try (Sandbox child = dbAgain.fork()) {
      assertThat(webAgain.exec("getent", "hosts", "db").stdout()).isEqualTo(address);
      assertThat(curl(webAgain, "http://db:5432/again")).startsWith("198.18.0.1 /again");
      assertThat(curl(child, "http://db:5432/child")).startsWith("198.18.0.1 /child");
      SandboxGroup group = child.group().orElseThrow();
      assertThat(group.ports()).containsExactly("5432");
      assertThat(group.members()).hasSize(3);
      serve(child);
      assertThat(curl(webAgain, "http://%s:5432/".formatted(child.id()))).contains("[0]");
    } finally {
      server.cove().sandboxes().delete(db.id());
      server.cove().sandboxes().delete(web.id());
    }
  }

  @Test
  void a_group_that_cannot_be_is_refused_and_nothing_is_made() {
    int boxes = server.cove().sandboxes().list().size();
    for (String name : List.of("", "Shop", "a.b", "-a", "a-", "a b", "x".repeat(64))) {
      assertRefused(400, "invalid_request", () -> create("db", name));
    }
    for (String port : List.of("0", "080", "65536", "9-8", "http", "")) {
      assertRefused(400, "invalid_request", () -> create("db", "shop", port));
    }
    assertThat(server.cove().sandboxes().list()).hasSize(boxes);
    try (Sandbox db = create("db", "shop")) {
      assertRefused(409, "conflict", () -> create("DB", "shop"));
      assertRefused(400, "invalid_request", () -> db.joinGroup("no good"));
      assertThat(db.group()).isPresent();
      try (Sandbox other = create("Db", "other")) {
        assertRefused(409, "conflict", () -> other.joinGroup("shop"));
        assertThat(other.group().orElseThrow().name()).isEqualTo("other");
      }
    }
  }
}
