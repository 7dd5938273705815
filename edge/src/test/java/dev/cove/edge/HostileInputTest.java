package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HostileInputTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static final String CREATE = "/api/v1/sandboxes";
  private static String box = "";

  @BeforeAll
  static void createBox() {
    box = EDGE.create("{\"name\":\"the only one\"}");
  }

  private static void assertRefused(Answer answer, String what) {
    assertThat(answer.status()).as(what + " -> " + answer).isBetween(400, 499);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.code()).isNotEmpty();
    assertThat(answer.detail()).isNotEmpty().doesNotContain("Exception").doesNotContain("jackson");
    assertThat(EDGE.lifecycle().list(Map.of(), 1_000, Optional.empty()).items())
        .as("nothing changed by " + what)
        .hasSize(1);
  }

  @Test
  void unknown_fields_are_refused_by_name() {
    for (String field :
        new String[] {"privileged", "capAdd", "devices", "hostNetwork", "__proto__", "@class"}) {
      Answer answer = EDGE.post(CREATE, "{\"" + field + "\":true}");
      assertRefused(answer, field);
      assertThat(answer.detail()).contains(field);
    }
  }

  @Test
  void wrong_types_are_refused_by_name() {
    String[][] cases = {
      {"{\"memoryMb\":\"64\"}", "memoryMb"},
      {"{\"memoryMb\":64.0}", "memoryMb"},
      {"{\"memoryMb\":6.4e1}", "memoryMb"},
      {"{\"memoryMb\":true}", "memoryMb"},
      {"{\"memoryMb\":[64]}", "memoryMb"},
      {"{\"cpus\":\"1\"}", "cpus"},
      {"{\"cpus\":\"\"}", "cpus"},
      {"{\"name\":5}", "name"},
      {"{\"name\":{}}", "name"},
      {"{\"name\":[\"x\"]}", "name"},
      {"{\"labels\":[]}", "labels"},
      {"{\"labels\":\"\"}", "labels"},
      {"{\"labels\":{\"a\":1}}", "labels"},
      {"{\"labels\":{\"a\":null}}", "labels"},
      {"{\"env\":{\"a b\":\"x\"}}", "env"},
      {"{\"tier\":\"privileged\"}", "tier"},
      {"{\"template\":\"../../etc\"}", "template"},
    };
    for (String[] each : cases) {
      Answer answer = EDGE.post(CREATE, each[0]);
      assertRefused(answer, each[0]);
      assertThat(answer.detail()).as(each[0]).contains(each[1]);
    }
  }

  @Test
  void numbers_out_of_range_are_refused_by_name() {
    for (String field : new String[] {"memoryMb", "diskMb", "maxProcesses"}) {
      for (String number :
          new String[] {
            "-1",
            "0",
            "2147483647",
            "2147483648",
            "9007199254740993",
            "9223372036854775808",
            "-9223372036854775809",
            "1e9",
            "99999999999999999999999999999999999999"
          }) {
        assertRefused(EDGE.post(CREATE, "{\"" + field + "\":" + number + "}"), field + number);
      }
    }
    for (String number : new String[] {"0", "-1", "0.049", "1025", "1e400", "-0.0", "1e-400"}) {
      Answer answer = EDGE.post(CREATE, "{\"cpus\":" + number + "}");
      assertRefused(answer, number);
      assertThat(answer.detail()).contains("cpus");
    }
    assertRefused(EDGE.post(CREATE, "{\"cpus\":NaN}"), "NaN");
  }

  @Test
  void bodies_that_are_no_json_object_are_refused() {
    for (String body :
        new String[] {
          "",
          " ",
          "null",
          "[]",
          "\"x\"",
          "1",
          "true",
          "{",
          "{}{}",
          "{} x",
          "{\"a\"}",
          "{'name':'x'}",
          "{name:1}",
          "{\"name\":\"x\",}",
          "{/**/}",
          "\ufeff{}",
          "{\"name\":\"x\",\"name\":\"y\"}",
          "{\"labels\":{\"a\":\"1\",\"a\":\"2\"}}",
          "{\"name\":\"\\ud800\"}",
          "{\"labels\":{\"\\udfff\":\"x\"}}",
          "{\"name\":\"\\u0000\"}"
        }) {
      assertRefused(EDGE.post(CREATE, body), body);
    }
  }

  @Test
  void deep_json_is_refused_at_once() {
    assertRefused(EDGE.post(CREATE, "[".repeat(100_000)), "arrays");
    assertRefused(EDGE.post(CREATE, "{\"labels\":".repeat(100_000)), "objects");
    assertRefused(
        EDGE.post(CREATE, "{\"name\":" + "[".repeat(200) + "]".repeat(200) + "}"), "field");
  }

  @Test
  void broken_utf_8_is_refused() {
    for (byte[] name :
        new byte[][] {
          {(byte) 0xff},
          {(byte) 0xc0, (byte) 0xaf},
          {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
          {(byte) 0xe2, (byte) 0x82},
          {(byte) 0xf5, (byte) 0x80, (byte) 0x80, (byte) 0x80}
        }) {
      byte[] start = "{\"name\":\"".getBytes(StandardCharsets.UTF_8);
      byte[] body = new byte[start.length + name.length + 2];
      System.arraycopy(start, 0, body, 0, start.length);
      System.arraycopy(name, 0, body, start.length, name.length);
      body[body.length - 2] = '"';
      body[body.length - 1] = '}';
      assertRefused(
          EDGE.send(CREATE, request -> request.POST(BodyPublishers.ofByteArray(body))), "utf-8");
    }
    byte[] wide = "{\"name\":\"x\"}".getBytes(StandardCharsets.UTF_16LE);
    assertRefused(
        EDGE.send(CREATE, request -> request.POST(BodyPublishers.ofByteArray(wide))), "utf-16");
  }

  @Test
  void other_encodings_and_types_are_415() {
    String[][] headers = {
      {"Content-Type", "application/json; charset=utf-16"},
      {"Content-Type", "application/json;charset=\"iso-8859-1\""},
      {"Content-Type", "text/plain"},
      {"Content-Type", "application/x-www-form-urlencoded"},
      {"Content-Encoding", "gzip"},
      {"Content-Encoding", "br"},
    };
    for (String[] header : headers) {
      Answer answer =
          EDGE.send(
              CREATE,
              request -> request.header(header[0], header[1]).POST(BodyPublishers.ofString("{}")));
      assertRefused(answer, header[1]);
      assertThat(answer.status()).isEqualTo(415);
    }
  }

  @Test
  void names_are_bounded() {
    assertRefused(EDGE.post(CREATE, "{\"name\":\"" + "n".repeat(10_000) + "\"}"), "name");
    assertRefused(EDGE.post(CREATE, "{\"template\":\"" + "n".repeat(10_000) + "\"}"), "template");
    assertRefused(EDGE.post(CREATE, "{\"" + "n".repeat(10_000) + "\":1}"), "field");
    assertRefused(EDGE.post(CREATE, "{\"labels\":{\"" + "n".repeat(900) + "\":\"\"}}"), "label");
    assertRefused(EDGE.post(CREATE, "{\"name\":\"   \"}"), "blank");
    assertRefused(EDGE.post(CREATE, "{\"name\":\"the only one\"}"), "taken name");
  }

  @Test
  void ids_that_are_none_lead_nowhere() {
    for (String id :
        new String[] {
          "..",
          "%2e%2e",
          "..%2f..%2fetc",
          "%2e%2e%2fkeys",
          "..;",
          "x".repeat(2_000),
          box.toUpperCase(Locale.ROOT),
          "%00",
          "%F0%9D%9F%8E",
          "'%20OR%201=1--",
          "%25n%25s",
          "a%0d%0ab",
          "%E2%80%AE",
          "*",
          "%2F"
        }) {
      Answer answer = EDGE.get("/api/v1/sandboxes/" + id);
      assertThat(answer.status()).as(id + " -> " + answer).isIn(400, 404);
      assertThat(EDGE.delete("/api/v1/sandboxes/" + id).status()).as(id).isIn(400, 404);
      assertThat(EDGE.exec(id, "{\"command\":[\"true\"]}").status()).as(id).isIn(400, 404);
    }
    assertThat(EDGE.get("/api/v1/sandboxes/" + box).status()).isEqualTo(200);
    for (String process :
        new String[] {"-1", "0x1", "1e3", "99999999999999999999", "%30%31x", "١"}) {
      String target = "/api/v1/sandboxes/" + box + "/processes/" + RunningEdge.encode(process);
      assertThat(EDGE.get(target).status()).as(process).isEqualTo(404);
    }
  }

  @Test
  void paths_that_climb_lead_nowhere() throws Exception {
    for (String target :
        new String[] {
          "/api/v1/sandboxes/../keys",
          "/api/v1/../v1/system",
          "//api/v1/system",
          "/api/v1/system/",
          "/api/v1/system/..",
          "/api/v1/system;x=1",
          "/api/v1/%73ystem",
          "/api/v1/sandboxes/x/%2e%2e/%2e%2e/system"
        }) {
      try (var connection = new RawConnection(EDGE.port())) {
        connection.head(EDGE, "GET " + target).send("Connection: close\r\n\r\n");
        assertThat(connection.readReply().status()).as(target).isIn(400, 404);
      }
    }
  }

  @Test
  void a_body_of_100_megabytes_is_413_and_takes_no_memory() {
    byte[] megabyte = new byte[1 << 20];
    Arrays.fill(megabyte, (byte) ' ');
    long before = usedMemory();
    for (boolean chunked : new boolean[] {false, true}) {
      var parts = Collections.nCopies(100, megabyte);
      var publisher = BodyPublishers.ofByteArrays(parts);
      var body = chunked ? publisher : BodyPublishers.fromPublisher(publisher, 100L << 20);
      Answer answer = EDGE.send(CREATE, request -> request.POST(body));
      assertRefused(answer, "100 MB");
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.code()).isEqualTo("too_large");
    }
    assertThat(usedMemory() - before).isLessThan(64L << 20);
  }

  private static long usedMemory() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void http_that_is_not_well_formed_is_refused_and_closed() throws Exception {
    String[] requests = {
      "GARBAGE\r\n\r\n",
      "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
      "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /healthz?%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET http://evil/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "POST /api/v1/keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
      "POST /api/v1/keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
      "POST /api/v1/keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST /api/v1/keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST /api/v1/keys HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, x\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
      "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
    };
    for (String request : requests) {
      String what = request.substring(0, Math.min(80, request.length()));
      try (var connection = new RawConnection(EDGE.port())) {
        connection.send(request);
        var reply = connection.readReply();
        assertThat(reply.status()).as(what).isIn(400, 401, 414, 421, 431, 505);
        assertThat(reply.headers())
            .as(what)
            .containsEntry("Content-Type", "application/problem+json");
        assertThat(reply.body()).as(what).doesNotContain("jetty").doesNotContain("Exception");
      }
    }
    String longUrl = "/api/v1/sandboxes?cursor=" + "x".repeat(9_000);
    assertThat(EDGE.get(longUrl).status()).isEqualTo(414);
  }

  @Test
  void methods_that_a_path_does_not_have_are_405_and_named() {
    Answer answer = EDGE.put("/api/v1/sandboxes", new byte[0]);
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo("GET, POST");
    assertThat(answer.code()).isEqualTo("method_not_allowed");
    assertThat(EDGE.get("/nothing/here").status()).isEqualTo(404);
  }

  @Test
  void a_pipelined_second_request_is_answered_too() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      String exec = "{\"command\":[\"sleep\",\"0.3\"]}";
      connection
          .head(EDGE, "POST /api/v1/sandboxes/" + box + "/exec")
          .send("Content-Length: " + exec.length() + "\r\n\r\n" + exec);
      assertThat(connection.head(EDGE, "GET /api/v1/system").send("\r\n").readReply().status())
          .isEqualTo(200);
      assertThat(connection.readReply().body()).contains("0.1.0-test");
    }
  }
}
