package dev.cove.edge;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** Reads server-sent events from a connection of its own. */
final class EventReader implements AutoCloseable {
  private final RawConnection connection;
  private String left = "";
  private int comments;
  private boolean begun;

  record Event(String name, JsonNode data) {}

  EventReader(RunningEdge edge, String method, String target, String body) throws IOException {
    this(edge, method, target, body, edge.key());
  }

  EventReader(RunningEdge edge, String method, String target, String body, String key)
      throws IOException {
    connection = new RawConnection(edge.port());
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    connection
        .head(key, method + " " + target)
        .send("Accept: text/event-stream\r\nContent-Length: " + bytes.length + "\r\n\r\n")
        .send(bytes);
    var head = connection.readHead();
    if (head.status() != 200 || !"text/event-stream".equals(head.headers().get("Content-Type"))) {
      connection.close();
      throw new AssertionError(head);
    }
  }

  /** The next event; comments are counted. */
  Event next() throws IOException {
    while (true) {
      String block = nextBlock();
      if (block.startsWith(":")) {
        comments++;
        continue;
      }
      String[] lines = block.split("\n");
      return new Event(
          lines[0].substring("event: ".length()),
          RunningEdge.JSON.readTree(lines[1].substring("data: ".length())));
    }
  }

  int comments() {
    return comments;
  }

  private String nextBlock() throws IOException {
    while (!left.contains("\n\n")) {
      int size = nextChunkSize();
      if (size == 0) {
        throw new AssertionError("The stream ended after: " + left);
      }
      left += new String(connection.read(size), StandardCharsets.UTF_8);
    }
    int end = left.indexOf("\n\n");
    String block = left.substring(0, end);
    left = left.substring(end + 2);
    return block;
  }

  /** The line end that closes a chunk comes only with the next one. */
  private int nextChunkSize() throws IOException {
    if (begun) {
      connection.readLine();
    }
    begun = true;
    return Integer.parseInt(connection.readLine(), 16);
  }

  /** Whether the server ends the stream properly, with nothing more to say. */
  boolean isAtEnd() throws IOException {
    return left.isEmpty() && nextChunkSize() == 0;
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
