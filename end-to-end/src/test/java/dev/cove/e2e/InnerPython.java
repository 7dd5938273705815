package dev.cove.e2e;

import dev.cove.sdk.Command;
import dev.cove.sdk.Sandbox;
import java.time.Duration;
import org.awaitility.Awaitility;

/** A server in a sandbox, written in Python, that listens on its loopback only. */
public final class InnerPython {
  /** Speaks HTTP/1.1 in every way that a port has to pass on. */
  private static final String WEB =
      """
      import base64, hashlib, http.server, json, socketserver, struct, sys, time

      class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
          pass

        def reply(self, body, status=200, **fields):
          self.send_response(status)
          for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
          self.send_header("Content-Length", str(len(body)))
          self.end_headers()
          if self.command != "HEAD":
            self.wfile.write(body)

        def do_GET(self):
          if self.path == "/events":
            return self.events()
          if self.path == "/socket":
            return self.socket()
          if self.path == "/nothing":
            self.send_response(204)
            self.end_headers()
            return
          if self.path == "/same":
            self.send_response(304)
            self.send_header("ETag", '"x"')
            self.end_headers()
            return
          if self.path == "/kept":
            known = self.headers.get("If-None-Match") == '"x"'
            self.send_response(304 if known else 200)
            self.send_header("ETag", '"x"')
            self.send_header("Cache-Control", "public, max-age=31536000, s-maxage=9, immutable")
            self.send_header("Expires", "Fri, 01 Jan 2100 00:00:00 GMT")
            self.send_header("CDN-Cache-Control", "max-age=31536000")
            self.send_header("Content-Length", "0" if known else "4")
            self.end_headers()
            self.wfile.write(b"" if known else b"seen")
            return
          if self.path == "/chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Trailer", "X-Sum")
            self.end_headers()
            self.wfile.write(b"5\\r\\nhello\\r\\n6\\r\\n chunk\\r\\n0\\r\\nX-Sum: 11\\r\\n\\r\\n")
            return
          if self.path in ("/late", "/halves"):
            if self.path == "/halves":
              self.send_response(200)
              self.send_header("Content-Length", "5")
              self.end_headers()
              self.wfile.write(b"on ")
            open("/tmp/asked" + self.path.replace("/", "-"), "w").close()
            time.sleep(2)
            return self.wfile.write(b"it") if self.path == "/halves" else self.reply(b"on it")
          if self.path == "/early":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"short")
            self.close_connection = True
            return
          seen = {"path": self.path, "peer": self.client_address[1],
                  "fields": {k.lower(): v for k, v in self.headers.items()}}
          self.reply(json.dumps(seen).encode(), Content_Type="application/json")

        do_HEAD = do_GET

        def body(self):
          if "Content-Length" in self.headers:
            left = int(self.headers["Content-Length"])
            while left > 0:
              piece = self.rfile.read(min(left, 65536))
              left -= len(piece)
              yield piece
          else:
            while size := int(self.rfile.readline(), 16):
              yield self.rfile.read(size)
              self.rfile.readline()
            self.rfile.readline()

        def do_POST(self):
          if self.path == "/refuse":
            self.close_connection = True
            return self.reply(b"no", 413, Connection="close")
          total, digest = 0, hashlib.sha256()
          for piece in self.body():
            total += len(piece)
            digest.update(piece)
          self.reply(f"{total} {digest.hexdigest()}".encode())

        def events(self):
          self.send_response(200)
          self.send_header("Content-Type", "text/event-stream")
          self.end_headers()
          self.close_connection = True
          for i in range(1000):
            self.wfile.write(f"data: {i} {time.time()}\\n\\n".encode())
            self.wfile.flush()
            time.sleep(0.3)

        def socket(self):
          key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
          accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
          self.send_response(101)
          self.send_header("Upgrade", "websocket")
          self.send_header("Connection", "Upgrade")
          self.send_header("Sec-WebSocket-Accept", accept)
          self.end_headers()
          self.close_connection = True
          while True:
            first, second = self.rfile.read(2)
            size = second & 127
            if size == 126:
              size = struct.unpack(">H", self.rfile.read(2))[0]
            elif size == 127:
              size = struct.unpack(">Q", self.rfile.read(8))[0]
            mask = self.rfile.read(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(size)))
            head = bytes([first])
            if size < 126:
              head += bytes([size])
            elif size < 65536:
              head += bytes([126]) + struct.pack(">H", size)
            else:
              head += bytes([127]) + struct.pack(">Q", size)
            self.wfile.write(head + data)
            if first & 15 == 8:
              return

      class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True
        request_queue_size = 1024

      Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
      """;

  private InnerPython() {}

  /** Returns when it listens. */
  public static void serveWeb(Sandbox box, int port) {
    box.files().write("/tmp/web.py", WEB);
    box.spawn(Command.of("python3", "/tmp/web.py", Integer.toString(port)));
    awaitListening(box, port);
  }

  /** The kernel's table says it first; port numbers are in hex there, 0A means listening. */
  public static void awaitListening(Sandbox box, int port) {
    Awaitility.await("port " + port + " to listen")
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            box.exec("cat", "/proc/net/tcp")
                .stdout()
                .lines()
                .anyMatch(line -> line.matches(".*:%04X 00000000:0000 0A .*".formatted(port))));
  }
}
