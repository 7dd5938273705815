package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventFeed;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Webhooks;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens is told: by API and command line, to streams and to webhooks, across crashes. */
class EventsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(Map.of("COVE_POOL_SIZE", "0", "COVE_PRIVATE_RANGES", "127.0.0.1"));

  private final List<Message> messages = new CopyOnWriteArrayList<>();
  private HttpServer receiver;

  private record Message(String event, String signature, String body) {}

  @BeforeEach
  void receive() throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    receiver.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          var fields = exchange.getRequestHeaders();
          messages.add(
              new Message(fields.getFirst("Cove-Event"), fields.getFirst("Cove-Signature"), body));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void close() {
    receiver.stop(0);
    server.cove().webhooks().list().forEach(hook -> server.cove().webhooks().remove(hook.id()));
  }

  private String url() {
    return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/cove";
  }

  @Test
  void the_life_of_a_sandbox_is_told_in_order() throws Exception {
    var told = new ArrayList<String>();
    try (EventFeed feed =
        server.cove().events().follow(EventQuery.all().types("sandbox.*", "checkpoint.*"))) {
      Sandbox box = server.create().detach();
      Checkpoint checkpoint = box.checkpoint();
      box.restore(checkpoint.id());
      server.cove().sandboxes().delete(box.id());
      while (!told.contains("sandbox.deleted")) {
        Event event = feed.next().orElseThrow();
        assertThat(event.sandbox()).contains(box.id());
        told.add(event.type());
      }
      assertThat(told)
          .containsExactly(
              "sandbox.created",
              "sandbox.running",
              "checkpoint.created",
              "checkpoint.created", // the way back
              "sandbox.restored",
              "sandbox.deleted");
      Cli.Outcome shown = Cli.of(server).run("events", "--box", box.id(), "--json").succeeded();
      assertThat(shown.stdout().lines()).hasSize(told.size());
      assertThat(shown.stdout()).contains("\"type\":\"sandbox.restored\"");
    }
    Cli.Outcome refused = Cli.of(server).run("events", "--type", "nonsense");
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr()).contains("no events of that type");
  }

  @Test
  void a_webhook_made_by_the_command_line_is_told_and_can_check_who_tells_it() throws Exception {
    Cli cli = Cli.of(server);
    String[] made =
        cli.run("webhook", "add", url(), "--type", "sandbox.*")
            .succeeded()
            .stdout()
            .strip()
            .split(" ");
    assertThat(cli.run("webhook", "test", made[0]).succeeded().stdout()).contains("204");
    messages.clear();
    Sandbox box = server.create().detach();
    server.cove().sandboxes().delete(box.id());
    Awaitility.await().atMost(PATIENCE).until(() -> messages.size() == 3);
    for (Message message : messages) {
      String seconds = message.signature().substring(2, message.signature().indexOf(','));
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(made[1].getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
      byte[] wanted =
          mac.doFinal((seconds + "." + message.body()).getBytes(StandardCharsets.UTF_8));
      assertThat(message.signature())
          .isEqualTo("t=" + seconds + ",v1=" + HexFormat.of().formatHex(wanted));
    }
    assertThat(cli.run("webhook", "ls").succeeded().stdout()).contains(made[0]).contains("well");
    assertThat(cli.run("webhook", "dead", made[0]).succeeded().stdout()).contains("EVENT");
    assertThat(cli.run("webhook", "retry", made[0]).succeeded().stdout()).contains("0 delivered");
    cli.run("webhook", "rm", made[0]).succeeded();
    assertThat(Files.readString(server.log())).doesNotContain(made[1]);
  }

  @Test
  void an_address_inside_is_never_called() {
    Webhooks.NewWebhook hook =
        server.cove().webhooks().create("http://localhost.:" + server.url().getPort(), List.of());
    Webhooks.Attempt attempt = server.cove().webhooks().test(hook.webhook().id());
    assertThat(attempt.taken()).isFalse();
    server.cove().webhooks().redirect(hook.webhook().id(), "http://169.254.169.254/latest");
    assertThat(server.cove().webhooks().test(hook.webhook().id()).outcome())
        .contains("never metadata");
  }

  @Test
  void a_crash_after_a_message_costs_at_most_that_it_is_told_twice() throws Exception {
    Webhooks.NewWebhook hook = server.cove().webhooks().create(url(), List.of("sandbox.*"));
    server.kill();
    server.startArmed(FailPoint.WEBHOOK_TOLD + ":2");
    try {
      Sandbox box = server.create().detach();
      assertThat(box.id()).isNotEmpty();
    } catch (CoveException e) {
      assertThat(e).as("the server may have ended").isNotNull();
    }
    assertThat(server.awaitEnd(PATIENCE)).hasValue(FailPoint.EXIT_CODE);
    server.start();
    server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
    long newest =
        server
            .cove()
            .events()
            .list(EventQuery.all().types("sandbox.*"), 1_000)
            .items()
            .getLast()
            .id();
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> server.cove().webhooks().require(hook.webhook().id()).delivered() == newest);
    List<Long> told = messages.stream().map(message -> Long.valueOf(message.event())).toList();
    assertThat(told).isSorted();
    List<Long> happened =
        server.cove().events().list(EventQuery.all().types("sandbox.*"), 1_000).items().stream()
            .map(Event::id)
            .filter(id -> id >= told.getFirst())
            .toList();
    assertThat(told.stream().distinct().toList()).isEqualTo(happened);
    assertThat(told).hasSize(happened.size() + 1);
  }
}
