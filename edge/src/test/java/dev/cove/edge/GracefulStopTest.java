package dev.cove.edge;

import static dev.cove.edge.RunningEdge.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GracefulStopTest {
  private final RunningEdge edge = new RunningEdge();

  @BeforeEach
  void start() throws Exception {
    edge.start();
  }

  @AfterEach
  void stop() throws Exception {
    edge.stop();
  }

  @Test
  void a_request_at_work_is_answered_before_the_server_goes() throws Exception {
    String box = edge.create();
    Path folder = edge.work();
    String script =
        "touch %1$s/up; until [ -e %1$s/go ]; do sleep 0.02; done; echo done".formatted(folder);
    String body = "{\"command\":[\"sh\",\"-c\",\"" + script + "\"]}";
    try (var connection = new RawConnection(edge.port())) {
      connection
          .head(edge, "POST /api/v1/sandboxes/" + box + "/exec")
          .send("Content-Length: " + body.length() + "\r\n\r\n" + body);
      awaitFile(folder.resolve("up"));
      Thread closing = Thread.ofVirtual().start(() -> edge.server().close());
      Files.createFile(folder.resolve("go"));
      var reply = connection.readReply();
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.body()).contains("done");
      closing.join();
    }
  }

  @Test
  void a_stream_without_end_does_not_keep_the_server_from_going() throws Exception {
    String box = edge.create();
    Path pid = edge.work().resolve("pid");
    String script = "echo $$ > %1$s.new; mv %1$s.new %1$s; sleep 600".formatted(pid);
    String target = "/api/v1/sandboxes/" + box;
    String body = "{\"command\":[\"sh\",\"-c\",\"" + script + "\"]}";
    try (var events = new EventReader(edge, "POST", target + "/exec", body);
        var socket = TestSocket.open(edge, target + "/attach")) {
      assertThat(events.next().name()).isEqualTo("start");
      socket.text("{\"type\":\"start\",\"command\":[\"sleep\",\"600\"]}").nextText();
      awaitFile(pid);
      long number = Long.parseLong(Files.readString(pid).strip());
      edge.server().close();
      assertThat(socket.nextClosed().code()).isIn(1001, 1006);
      RunningEdge.await("the command is gone", () -> ProcessHandle.of(number).isEmpty());
    }
  }
}
