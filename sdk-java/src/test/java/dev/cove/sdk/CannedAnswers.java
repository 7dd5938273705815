package dev.cove.sdk;

import dev.cove.sdk.transport.ScriptedServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that has its answers ready. */
final class CannedAnswers {
  private static final Pattern LENGTH = Pattern.compile("Content-Length: (\\d+)");
  private static final Pattern BINARY = Pattern.compile("Content-Type: application/octet-stream\r");

  private CannedAnswers() {}

  /** Answers each request with the next of these, and notes what was asked. */
  static ScriptedServer serve(List<String> requests, String... answers) throws IOException {
    var next = List.of(answers).iterator();
    return new ScriptedServer(peer -> {
      for (String head = peer.readHead(); !head.isEmpty(); head = peer.readHead()) {
        Matcher length = LENGTH.matcher(head);
        int size = length.find() ? Integer.parseInt(length.group(1)) : 0;
        String body = new String(peer.in().readNBytes(size), StandardCharsets.UTF_8);
        String kind = BINARY.matcher(head).find() ? " bytes " : " ";
        requests.add(head.substring(0, head.indexOf(" HTTP")) + (size > 0 ? kind + body : ""));
        peer.send(next.next());
      }
    });
  }

  static String json(int status, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    return "HTTP/1.1 " + status + " X\r\nContent-Length: " + length + "\r\n\r\n" + body;
  }
}
