package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import dev.cove.edge.http.HttpLimits;
import dev.cove.edge.port.PortLimits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Requests to ports of sandboxes; the agents here have no cage, so servers are the test's own. */
class PortProxyTest {
  private static final int MOST = 8;

  @RegisterExtension
  static final RunningEdge edge =
      new RunningEdge(
          HttpLimits.DEFAULT,
          new PortLimits(
              MOST,
              Duration.ofSeconds(1),
              Duration.ofSeconds(1),
              Duration.ofSeconds(2),
              Duration.ofMillis(50)));

  private String box = "";

  @BeforeEach
  void create() {
    box = edge.create();
  }

  @AfterEach
  void delete() {
    edge.delete("/api/v1/sandboxes/" + box);
  }

  private String path(InnerServer inner) {
    return "/p/" + box + "/" + inner.port();
  }

  private String host(InnerServer inner) {
    return inner.port() + "-" + box + ".localhost";
  }

  private String setting(int port) {
    return "/api/v1/sandboxes/" + box + "/ports/" + port;
  }

  private JsonNode share(InnerServer inner, String access) {
    Answer answer =
        edge.put(
            setting(inner.port()),
            "{\"access\":\"%s\"}".formatted(access).getBytes(StandardCharsets.UTF_8));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer.json();
  }

  private JsonNode link(InnerServer inner) {
    Answer answer = edge.post(setting(inner.port()) + "/link", "{}");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
    return answer.json();
  }

  private static String linkOf(JsonNode link) {
    return URI.create(link.get("url").asString()).getQuery();
  }

  /** A request without a key. */
  private static RawConnection.Reply ask(String host, String target, String... fields)
      throws Exception {
    try (var connection = new RawConnection(edge.port())) {
      connection.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n");
      for (String field : fields) {
        connection.send(field + "\r\n");
      }
      return connection.send("Connection: close\r\n\r\n").readReply();
    }
  }

  private static String withKey() {
    return "X-API-Key: " + edge.key();
  }

  @Test
  void a_port_is_reached_by_its_name_and_by_its_path() throws Exception {
    try (var inner = InnerServer.plain()) {
      assertThat(ask(host(inner), "/a/b?c=d", withKey()).body()).isEqualTo("inside");
      assertThat(edge.get(path(inner) + "/a/b?c=d").text()).isEqualTo("inside");
      assertThat(inner.heads())
          .hasSize(2)
          .allMatch(head -> head.startsWith("GET /a/b?c=d HTTP/1.1\r\n"));
      assertThat(inner.heads().getFirst())
          .contains("Host: " + host(inner) + "\r\n")
          .contains("X-Forwarded-For: 127.0.0.1\r\n")
          .doesNotContain("X-Forwarded-Prefix");
      assertThat(inner.heads().getLast()).contains("X-Forwarded-Prefix: " + path(inner) + "\r\n");
    }
  }

  @Test
  void a_path_without_its_last_slash_leads_to_the_one_with_it() throws Exception {
    try (var inner = InnerServer.plain()) {
      RawConnection.Reply reply = ask("localhost", path(inner) + "?a=b");
      assertThat(reply.status()).isEqualTo(308);
      assertThat(reply.headers()).containsEntry("Location", path(inner) + "/?a=b");
    }
  }

  @Test
  void nobody_gets_in_without_being_let_in() throws Exception {
    try (var inner = InnerServer.plain()) {
      for (String name : List.of(host(inner), "localhost")) {
        String target = name.equals("localhost") ? path(inner) + "/" : "/";
        assertThat(ask(name, target).status()).isEqualTo(401);
        assertThat(ask(name, target, "Authorization: Bearer cove_" + "0".repeat(64)).status())
            .isEqualTo(401);
        assertThat(ask(name, target, "Cookie: cove-port=1.x").status()).isEqualTo(401);
        assertThat(ask(name, target + "?cove-link=1.x").status()).isEqualTo(401);
      }
      assertThat(inner.heads()).isEmpty();
    }
  }

  @Test
  void a_token_and_a_password_open_their_own_port_only() throws Exception {
    try (var one = InnerServer.plain();
        var other = InnerServer.plain()) {
      String token = share(one, "bearer").get("token").asString();
      String password = share(other, "basic").get("password").asString();
      String bearer = "Authorization: Bearer " + token;
      String basic = basic("cove", password);
      assertThat(ask(host(one), "/", bearer).status()).isEqualTo(200);
      assertThat(ask(host(other), "/", basic).status()).isEqualTo(200);
      assertThat(ask(host(one), "/", basic).status()).isEqualTo(401);
      assertThat(ask(host(other), "/", bearer).status()).isEqualTo(401);
      assertThat(ask(host(one), "/", basic("cove", token)).status()).isEqualTo(401);
      assertThat(ask(host(other), "/", "Authorization: Bearer " + password).status())
          .isEqualTo(401);
      assertThat(ask(host(other), "/", basic("root", password)).status()).isEqualTo(401);
      assertThat(ask(host(other), "/").headers().get("WWW-Authenticate")).startsWith("Basic ");
      assertThat(one.heads().getFirst() + other.heads().getFirst())
          .doesNotContain("Authorization")
          .doesNotContain("cove_");
      String second = edge.create();
      assertThat(ask(one.port() + "-" + second + ".localhost", "/", bearer).status())
          .isEqualTo(401);
      edge.delete("/api/v1/sandboxes/" + second);
    }
  }

  private static String basic(String user, String password) {
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Authorization: Basic " + Base64.getEncoder().encodeToString(pair);
  }

  @Test
  void nothing_of_ours_goes_into_the_sandbox_and_what_is_the_servers_own_does() throws Exception {
    try (var inner = InnerServer.plain()) {
      share(inner, "public");
      String link = linkOf(link(inner));
      ask(
          host(inner),
          "/?a=1&" + link + "&b=2",
          withKey(),
          "Authorization: Bearer " + edge.key(),
          "Cookie: theme=dark; cove-port=secret; lang=en");
      ask(host(inner), "/", basic("someone", edge.key()));
      ask(host(inner), "/", "Authorization: Bearer app", "X-API-Key: app", "Cookie: a=b");
      assertThat(inner.heads().getFirst())
          .startsWith("GET /?a=1&b=2 HTTP/1.1\r\n")
          .contains("Cookie: theme=dark; lang=en\r\n");
      assertThat(inner.heads().get(0) + inner.heads().get(1))
          .doesNotContain("cove-")
          .doesNotContain(edge.key())
          .doesNotContain("Authorization")
          .doesNotContain("X-API-Key");
      assertThat(inner.heads().get(2))
          .contains("Authorization: Bearer app\r\n")
          .contains("X-API-Key: app\r\n")
          .contains("Cookie: a=b\r\n");
    }
  }

  @Test
  void headers_for_the_next_hop_and_forged_ones_are_not_passed_on() throws Exception {
    try (var inner = InnerServer.plain()) {
      share(inner, "public");
      ask(
          host(inner),
          "/",
          "Connection: x-secret, X-Other",
          "X-Secret: 1",
          "X-Other: 2",
          "Keep-Alive: 5",
          "Proxy-Authorization: Basic eA==",
          "TE: trailers",
          "Forwarded: for=6.6.6.6",
          "X-Forwarded-For: 6.6.6.6",
          "X-Forwarded-Host: evil",
          "X-Forwarded-Proto: https",
          "X-Real-IP: 6.6.6.6",
          "X-Kept: yes");
      assertThat(inner.heads().getFirst())
          .contains("X-Kept: yes")
          .contains("X-Forwarded-For: 127.0.0.1\r\n")
          .contains("X-Forwarded-Proto: http\r\n")
          .doesNotContain("6.6.6.6", "evil", "X-Secret", "X-Other", "Keep-Alive", "Proxy-", "TE:");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0PORT-ID.localhost",
        "+PORT-ID.localhost",
        "PORT-ID.localhost.",
        "PORT-ID-x.localhost",
        "x.PORT-ID.localhost",
        "PORT.ID.localhost",
        "PORTID.localhost",
        "0-ID.localhost",
        "65536-ID.localhost",
        "-ID.localhost",
        "PORT-.localhost",
        "PORT-UPPER.localhost",
        "PORT-ID.LOCALHOST",
        "%33000-ID.localhost"
      })
  void another_spelling_of_a_name_is_not_the_port(String pattern) throws Exception {
    try (var inner = InnerServer.plain()) {
      share(inner, "public");
      String name =
          pattern
              .replace("UPPER", box.toUpperCase(java.util.Locale.ROOT))
              .replace("ID", box)
              .replace("PORT", Integer.toString(inner.port()));
      assertThat(ask(name, "/").status()).as(name).isIn(400, 404);
      assertThat(ask(name, "/api/v1/system", withKey()).status()).as(name).isIn(400, 404);
      assertThat(inner.heads()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/p/ID/0PORT/",
        "/p/ID/+PORT/",
        "/p/ID/0/",
        "/p/ID/65536/",
        "/p/UPPER/PORT/",
        "/p//ID/PORT/",
        "/p/ID//PORT/",
        "/p/ID%20/PORT/",
        "/p/x/../ID/PORT/",
        "/p/ID/%EF%BC%91/",
        "/p/ID/",
        "/p/"
      })
  void another_spelling_of_a_path_is_not_the_port(String pattern) throws Exception {
    try (var inner = InnerServer.plain()) {
      share(inner, "public");
      String path =
          pattern
              .replace("UPPER", box.toUpperCase(java.util.Locale.ROOT))
              .replace("ID", box)
              .replace("PORT", Integer.toString(inner.port()));
      assertThat(ask("localhost", path).status()).as(path).isIn(400, 404);
      assertThat(inner.heads()).isEmpty();
    }
  }

  @Test
  void a_name_of_a_port_never_leads_to_the_api() throws Exception {
    try (var inner = InnerServer.plain()) {
      RawConnection.Reply reply = ask(host(inner), "/api/v1/sandboxes", withKey());
      assertThat(reply.body()).isEqualTo("inside");
      assertThat(inner.heads()).hasSize(1).first().asString().startsWith("GET /api/v1/sandboxes ");
      assertThat(ask("evil.example", path(inner) + "/", withKey()).status()).isEqualTo(421);
    }
  }

  @Test
  void a_public_port_made_private_is_closed_to_the_next_request_of_an_open_connection()
      throws Exception {
    try (var inner = InnerServer.plain();
        var connection = new RawConnection(edge.port())) {
      share(inner, "public");
      String request = "GET / HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n";
      assertThat(connection.send(request).readReply().status()).isEqualTo(200);
      assertThat(connection.send(request).readReply().status()).isEqualTo(200);
      edge.delete(setting(inner.port()));
      assertThat(connection.send(request).readReply().status()).isEqualTo(401);
    }
  }

  @Test
  void a_stream_ends_when_its_port_is_made_private() throws Exception {
    var began = new CountDownLatch(1);
    try (var inner =
            InnerServer.running(peer -> {
              peer.readHead();
              peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
              began.countDown();
              peer.in().read();
            });
        var connection = new RawConnection(edge.port())) {
      share(inner, "public");
      connection.send("GET / HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n");
      assertThat(connection.readHead().status()).isEqualTo(200);
      began.await();
      edge.delete(setting(inner.port()));
      while (connection.read() >= 0) {}
    }
  }

  @Test
  void a_link_opens_its_port_and_leaves_a_cookie_that_does_too() throws Exception {
    try (var inner = InnerServer.plain();
        var other = InnerServer.plain()) {
      JsonNode link = link(inner);
      String query = linkOf(link);
      RawConnection.Reply direct = ask(host(inner), "/x?" + query);
      assertThat(direct.status()).isEqualTo(200);
      assertThat(inner.heads().getFirst()).startsWith("GET /x HTTP/1.1\r\n");

      RawConnection.Reply page = ask(host(inner), "/x?a=b&" + query, "Accept: text/html,*/*");
      assertThat(page.status()).isEqualTo(303);
      assertThat(page.headers()).containsEntry("Location", "http://" + host(inner) + "/x?a=b");
      String cookie = page.headers().getOrDefault("Set-Cookie", "");
      assertThat(cookie)
          .contains("; Path=/; ")
          .contains("; HttpOnly; SameSite=Lax")
          .doesNotContain("Domain");
      String kept = "Cookie: " + cookie.split(";")[0];
      assertThat(ask(host(inner), "/", kept).status()).isEqualTo(200);
      assertThat(ask(host(other), "/", kept).status()).isEqualTo(401);
      assertThat(ask(host(inner), "/?" + kept.replace("Cookie: cove-port", "cove-link")).status())
          .isEqualTo(401);
      assertThat(
              ask(host(inner), "/", "Cookie: " + query.replace("cove-link", "cove-port")).status())
          .isEqualTo(401);
      for (String from :
          List.of("Origin: http://evil.localhost", "Sec-Fetch-Site: same-site", "Origin: null")) {
        assertThat(ask(host(inner), "/", kept, from).status()).as(from).isEqualTo(401);
      }
      assertThat(ask(host(inner), "/", kept, "Origin: http://" + host(inner)).status())
          .isEqualTo(200);

      RawConnection.Reply byPath = ask("localhost", path(inner) + "/?" + query);
      assertThat(byPath.headers().get("Set-Cookie")).contains("; Path=" + path(inner) + "/; ");

      edge.delete(setting(inner.port()));
      assertThat(ask(host(inner), "/?" + query).status()).isEqualTo(401);
      assertThat(ask(host(inner), "/", kept).status()).isEqualTo(401);
    }
  }

  @Test
  void a_link_of_which_anything_was_changed_opens_nothing() throws Exception {
    try (var inner = InnerServer.plain();
        var other = InnerServer.plain()) {
      String query = linkOf(link(inner));
      link(other);
      int dot = query.indexOf('.');
      long end = Long.parseLong(query.substring("cove-link=".length(), dot));
      String last = query.substring(0, query.length() - 1);
      for (String changed :
          List.of(
              "cove-link=" + (end + 1) + query.substring(dot),
              "cove-link=0" + end + query.substring(dot),
              last + (query.endsWith("A") ? "B" : "A"),
              last,
              query + "A",
              query + "=",
              query + "%20",
              query.replace("cove-link", "Cove-Link"),
              query + "&" + query,
              query.toLowerCase(java.util.Locale.ROOT) + "&x",
              query.replace(".", "%2E"))) {
        assertThat(ask(host(inner), "/?" + changed).status()).as(changed).isEqualTo(401);
      }
      assertThat(ask(host(other), "/?" + query).status()).isEqualTo(401);
      Answer brief = edge.post(setting(inner.port()) + "/link", "{\"expiresInSeconds\":1}");
      Thread.sleep(1_100);
      assertThat(ask(host(inner), "/?" + linkOf(brief.json())).status()).isEqualTo(401);
    }
  }

  static Stream<String> bad_replies() {
    String ok = "HTTP/1.1 200 OK\r\n";
    return Stream.of(
        "",
        "hello\r\n\r\n",
        "SSH-2.0-x\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 999 No\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ok + "Content-Length: +1\r\n\r\na",
        ok + "Content-Length: 1, 1\r\n\r\na",
        ok + "Content-Length: 99999999999999999999\r\n\r\na",
        ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ok + "A: b\r\n c\r\n\r\n",
        ok + "A : b\r\n\r\n",
        ok + ": b\r\n\r\n",
        ok + "no colon\r\n\r\n",
        ok + "A: b\u0000c\r\n\r\n",
        ok + "A: b\rSet-Cookie: x=y\r\n\r\n",
        ok + "A: " + "b".repeat(70_000) + "\r\n\r\n",
        ok + "A: b\r\n".repeat(201) + "\r\n",
        ok + ("A: " + "b".repeat(1_000) + "\r\n").repeat(70) + "\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(40),
        ok + "Content-Length: 5\r\n");
  }

  @ParameterizedTest
  @MethodSource("bad_replies")
  void an_answer_in_bad_http_becomes_a_502_of_ours(String reply) throws Exception {
    try (var inner = InnerServer.answeringOnce(reply)) {
      RawConnection.Reply got = ask(host(inner), "/", withKey());
      assertThat(got.status()).isEqualTo(502);
      assertThat(got.code()).isEqualTo("bad_gateway");
      assertThat(got.headers()).doesNotContainKeys("Set-Cookie", "A");
    }
  }

  @Test
  void a_server_that_says_nothing_or_never_ends_its_head_is_given_up() throws Exception {
    try (var silent = InnerServer.running(peer -> peer.in().readAllBytes());
        var slow =
            InnerServer.running(peer -> {
              peer.send("HTTP/1.1 200 OK\r\n");
              while (true) {
                Thread.sleep(20);
                peer.send("A");
              }
            });
        var endless =
            InnerServer.running(peer -> {
              peer.readHead();
              while (true) {
                peer.send("HTTP/1.1 100 Continue\r\n\r\n");
                Thread.sleep(100);
              }
            })) {
      assertThat(ask(host(silent), "/", withKey()).status()).isEqualTo(504);
      assertThat(ask(host(slow), "/", withKey()).status()).isEqualTo(504);
      assertThat(ask(host(endless), "/", withKey()).status()).isIn(502, 504);
    }
  }

  @Test
  void a_port_on_which_nobody_listens_is_a_502_with_a_reason() throws Exception {
    int port;
    try (var inner = InnerServer.plain()) {
      port = inner.port();
    }
    RawConnection.Reply reply = ask(port + "-" + box + ".localhost", "/", withKey());
    assertThat(reply.status()).isEqualTo(502);
    assertThat(reply.body()).contains("Nothing listens on port " + port);
  }

  @Test
  void an_answer_that_breaks_off_is_not_passed_for_a_whole_one() throws Exception {
    try (var inner =
            InnerServer.answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        var connection = new RawConnection(edge.port())) {
      share(inner, "public");
      connection.send("GET / HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n");
      assertThat(connection.readHead().headers()).containsEntry("Content-Length", "10");
      assertThat(connection.read(10)).asString().isEqualTo("half");
    }
  }

  @Test
  void what_comes_behind_an_answer_is_nobody_elses_answer() throws Exception {
    String two =
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"
            + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad";
    try (var inner = InnerServer.answering(two)) {
      for (int i = 0; i < 3; i++) {
        assertThat(ask(host(inner), "/", withKey()).body()).isEqualTo("one");
      }
    }
  }

  @Test
  void a_connection_inside_is_used_again_and_replaced_when_the_server_has_closed_it()
      throws Exception {
    try (var keeping = InnerServer.plain();
        var closing =
            InnerServer.answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes")) {
      for (int i = 0; i < 5; i++) {
        assertThat(ask(host(keeping), "/", withKey()).status()).isEqualTo(200);
        assertThat(ask(host(closing), "/", withKey()).status()).isEqualTo(200);
      }
      assertThat(keeping.connections()).isEqualTo(1);
      assertThat(closing.connections()).isEqualTo(5);
    }
  }

  @Test
  void only_so_many_requests_are_under_way_to_one_sandbox() throws Exception {
    var release = new CountDownLatch(1);
    try (var inner =
        InnerServer.running(peer -> {
          peer.readHead();
          peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n");
          release.await();
        })) {
      share(inner, "public");
      var open = new ArrayList<RawConnection>();
      try {
        for (int i = 0; i < MOST; i++) {
          var connection = new RawConnection(edge.port());
          open.add(connection);
          connection.send("GET / HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n");
          assertThat(connection.readHead().status()).isEqualTo(200);
        }
        RawConnection.Reply refused = ask(host(inner), "/");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.headers()).containsKey("Retry-After");
        open.removeLast().close();
        RunningEdge.await(
            "the place of a client that left is free",
            () -> {
              try (var next = new RawConnection(edge.port())) {
                next.send("GET / HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n");
                return next.readHead().status() == 200;
              } catch (java.io.IOException e) {
                return false;
              }
            });
      } finally {
        release.countDown();
        for (RawConnection connection : open) {
          connection.close();
        }
      }
    }
  }

  @Test
  void answers_without_a_body_and_with_trailers_come_through() throws Exception {
    try (var inner =
        InnerServer.running(peer -> {
          for (String head = peer.readHead(); !head.isEmpty(); head = peer.readHead()) {
            peer.send(
                switch (head.split(" ")[1]) {
                  case "/204" -> "HTTP/1.1 204 No Content\r\n\r\n";
                  case "/304" ->
                      "HTTP/1.1 304 Not Modified\r\nETag: x\r\nContent-Length: 9\r\n\r\n";
                  case "/head" -> "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n";
                  default ->
                      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                          + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n"
                          + "3;ext=1\r\none\r\n3\r\ntwo\r\n0\r\nSum: 6\r\nSet-Cookie: a=b\r\n\r\n";
                });
          }
        })) {
      share(inner, "public");
      assertThat(ask(host(inner), "/204").status()).isEqualTo(204);
      assertThat(ask(host(inner), "/304").headers()).containsEntry("ETag", "x");
      try (var connection = new RawConnection(edge.port())) {
        connection.send("HEAD /head HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n");
        assertThat(connection.readHead().headers()).containsEntry("Content-Length", "1234");
        connection.send("GET /chunks HTTP/1.1\r\nHost: " + host(inner) + "\r\n\r\n");
        assertThat(connection.readHead().headers()).containsEntry("Trailer", "Sum");
        var rest = new StringBuilder();
        while (!rest.toString().endsWith("\n\n")) {
          rest.append(connection.readLine()).append('\n');
        }
        assertThat(rest.toString()).contains("one").contains("two").contains("Sum: 6");
        assertThat(rest.toString()).doesNotContain("Set-Cookie").doesNotContain("ext");
      }
      assertThat(inner.connections()).isEqualTo(1);
    }
  }

  @Test
  void pages_under_a_path_are_kept_apart_from_all_others_of_this_origin() throws Exception {
    String reply =
        "HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b; Path=/; Domain=localhost; Secure"
            + "\r\nSet-Cookie: cove-port=evil\r\nClear-Site-Data: *\r\nService-Worker-Allowed: /"
            + "\r\nContent-Length: 0\r\n\r\n";
    try (var inner = InnerServer.answering(reply)) {
      share(inner, "public");
      RawConnection.Reply byPath = ask("localhost", path(inner) + "/");
      assertThat(byPath.headers())
          .containsEntry("Location", path(inner) + "/next")
          .containsEntry("Set-Cookie", "a=b; Secure; Path=" + path(inner) + "/")
          .doesNotContainKeys("Clear-Site-Data", "Service-Worker-Allowed");
      assertThat(byPath.headers().get("Content-Security-Policy"))
          .startsWith("sandbox ")
          .doesNotContain("allow-same-origin");
      RawConnection.Reply byName = ask(host(inner), "/");
      assertThat(byName.headers())
          .containsEntry("Location", "/next")
          .containsEntry("Set-Cookie", "a=b; Path=/; Secure")
          .containsKey("Clear-Site-Data")
          .doesNotContainKey("Content-Security-Policy");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\n\r\n",
        "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        "Content-Length: +4\r\n\r\nabcd",
        "Content-Length: 4 4\r\n\r\nabcd",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "X: a\r\n b\r\n\r\n",
        "X: a\u0000b\r\n\r\n",
        "X: a\rY: b\r\n\r\n",
        "Host: other\r\n\r\n"
      })
  void a_request_that_can_be_read_in_two_ways_is_refused(String rest) throws Exception {
    try (var inner = InnerServer.plain();
        var connection = new RawConnection(edge.port())) {
      share(inner, "public");
      connection.send("POST / HTTP/1.1\r\nHost: " + host(inner) + "\r\n" + rest);
      assertThat(connection.readReply().status()).isEqualTo(400);
      assertThat(inner.heads()).isEmpty();
    }
  }

  @Test
  void a_pipelined_request_behind_another_is_a_request_of_its_own_with_its_own_check()
      throws Exception {
    try (var inner = InnerServer.plain();
        var closed = InnerServer.plain();
        var connection = new RawConnection(edge.port())) {
      share(inner, "public");
      connection.send(
          "GET /1 HTTP/1.1\r\nHost: "
              + host(inner)
              + "\r\n\r\nGET /2 HTTP/1.1\r\nHost: "
              + host(closed)
              + "\r\n\r\n");
      assertThat(connection.readReply().status()).isEqualTo(200);
      assertThat(connection.readReply().status()).isEqualTo(401);
      assertThat(inner.heads()).hasSize(1);
      assertThat(closed.heads()).isEmpty();
    }
  }

  @Test
  void bodies_are_passed_on_small_or_large_with_or_without_a_length() throws Exception {
    try (var inner =
        InnerServer.running(peer -> {
          String head = peer.readHead();
          String body;
          if (head.contains("Content-Length: ")) {
            String length = head.split("Content-Length: ")[1].split("\r\n")[0];
            body = length + "/" + peer.in().readNBytes(Integer.parseInt(length)).length;
          } else {
            body = head.contains("Transfer-Encoding: chunked") ? "chunked" : "none";
          }
          peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body);
        })) {
      for (int size : List.of(0, 1, 16_384, 16_385, 5_000_000)) {
        assertThat(edge.put(path(inner) + "/", new byte[size]).text())
            .isEqualTo(size == 0 ? "0/0" : size + "/" + size);
      }
      Answer streamed =
          edge.send(
              path(inner) + "/",
              request ->
                  request.POST(
                      BodyPublishers.ofInputStream(
                          () -> new java.io.ByteArrayInputStream(new byte[100_000]))));
      assertThat(streamed.text()).isEqualTo("chunked");
    }
  }

  @Test
  void an_answer_that_comes_before_the_end_of_the_request_gets_through() throws Exception {
    try (var inner =
        InnerServer.answeringOnce(
            "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!")) {
      Answer answer = edge.put(path(inner) + "/", new byte[20_000_000]);
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.text()).isEqualTo("no!");
    }
  }

  @Test
  void any_upgrade_joins_the_two_connections() throws Exception {
    try (var inner =
            InnerServer.running(peer -> {
              peer.readHead();
              peer.send(
                  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n"
                      + "X-Accept: yes\r\n\r\nhello ");
              byte[] got = peer.in().readNBytes(5);
              peer.send(
                  new String(got, StandardCharsets.US_ASCII).toUpperCase(java.util.Locale.ROOT));
              peer.in().readAllBytes();
              peer.send(" bye");
            });
        var connection = new RawConnection(edge.port())) {
      share(inner, "public");
      connection.send(
          "GET / HTTP/1.1\r\nHost: "
              + host(inner)
              + "\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nab");
      RawConnection.Reply reply = connection.readHead();
      assertThat(reply.status()).isEqualTo(101);
      assertThat(reply.headers()).containsEntry("X-Accept", "yes").containsEntry("Upgrade", "echo");
      connection.send("cde");
      assertThat(connection.read(11)).asString().isEqualTo("hello ABCDE");
      edge.delete(setting(inner.port()));
      assertThat(connection.isClosed()).isTrue();
    }
  }

  @Test
  void http2_is_spoken_to_ports_and_to_the_api() throws Exception {
    try (var inner = InnerServer.plain();
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      for (int i = 0; i < 3; i++) {
        for (String target : List.of(path(inner) + "/" + i, "/api/v1/sandboxes/" + box)) {
          var request =
              HttpRequest.newBuilder(edge.uri(target)).header("X-API-Key", edge.key()).build();
          var response = client.send(request, BodyHandlers.ofString());
          assertThat(response.statusCode()).isEqualTo(200);
          assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        }
      }
      var post =
          HttpRequest.newBuilder(edge.uri(path(inner) + "/"))
              .header("X-API-Key", edge.key())
              .POST(BodyPublishers.ofString("x".repeat(1_000)))
              .build();
      assertThat(client.send(post, BodyHandlers.ofString()).body()).isEqualTo("inside");
      assertThat(inner.heads()).noneMatch(head -> head.contains("HTTP2-Settings"));
    }
  }

  @Test
  void settings_are_listed_without_their_secrets_and_end_with_time_and_with_the_sandbox()
      throws Exception {
    try (var inner = InnerServer.plain()) {
      JsonNode shared = share(inner, "bearer");
      String token = shared.get("token").asString();
      String list = "/api/v1/sandboxes/" + box + "/ports";
      Answer listed = edge.get(list);
      assertThat(listed.json().get("items")).hasSize(1);
      assertThat(listed.text()).contains("\"access\":\"bearer\"").doesNotContain(token);
      assertThat(shared.get("url").asString())
          .isEqualTo("http://" + host(inner) + ":" + edge.port() + "/");
      assertThat(shared.get("pathUrl").asString())
          .isEqualTo(edge.uri(path(inner) + "/").toString());

      byte[] brief =
          "{\"access\":\"public\",\"expiresInSeconds\":1}".getBytes(StandardCharsets.UTF_8);
      assertThat(edge.put(setting(inner.port()), brief).status()).isEqualTo(200);
      assertThat(ask(host(inner), "/").status()).isEqualTo(200);
      assertThat(ask(host(inner), "/", "Authorization: Bearer " + token).status()).isEqualTo(200);
      Thread.sleep(1_100);
      assertThat(ask(host(inner), "/").status()).isEqualTo(401);
      assertThat(edge.get(list).json().get("items")).isEmpty();

      share(inner, "public");
      edge.delete("/api/v1/sandboxes/" + box);
      assertThat(ask(host(inner), "/").status()).isEqualTo(404);
      assertThat(edge.get(list).status()).isEqualTo(404);
    }
  }

  @Test
  void a_sandbox_has_at_most_64_ports_with_a_setting() {
    byte[] open = "{\"access\":\"public\"}".getBytes(StandardCharsets.UTF_8);
    for (int port = 1; port <= 64; port++) {
      assertThat(edge.put(setting(port), open).status()).isEqualTo(200);
    }
    assertThat(edge.put(setting(65), open).status()).isEqualTo(409);
    assertThat(edge.post(setting(65) + "/link", "{}").status()).isEqualTo(409);
    assertThat(edge.put(setting(64), open).status()).isEqualTo(200);
    edge.delete(setting(1));
    assertThat(edge.put(setting(65), open).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"access\":\"everyone\"}",
        "{\"access\":\"public\",\"expiresInSeconds\":0}",
        "{\"access\":\"public\",\"expiresInSeconds\":2592001}",
        "{\"access\":\"public\",\"expiresInSeconds\":9223372036854775807}",
        "{\"access\":\"public\",\"token\":\"mine\"}"
      })
  void a_setting_that_makes_no_sense_is_refused(String body) {
    assertThat(edge.put(setting(80), body.getBytes(StandardCharsets.UTF_8)).status())
        .isEqualTo(400);
    for (String port : List.of("0", "080", "65536", "+80", "x")) {
      assertThat(
              edge.put(
                      "/api/v1/sandboxes/" + box + "/ports/" + port,
                      "{\"access\":\"public\"}".getBytes(StandardCharsets.UTF_8))
                  .status())
          .isEqualTo(400);
    }
  }
}
