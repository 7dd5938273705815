package dev.cove.control.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.event.Events;
import dev.cove.control.ledger.Ledger;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhooksTest {
  private static final String URL = "https://hook.example/cove";
  private static final WebhookLimits IMPATIENT =
      new WebhookLimits(2, Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofHours(1), 3);

  @TempDir Path folder;
  private final List<Message> messages = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private Ledger ledger;
  private Events events;
  private Webhooks webhooks;

  private record Message(URI url, Map<String, String> fields, String body) {}

  @BeforeEach
  void open() throws IOException {
    open(IMPATIENT);
  }

  private void open(WebhookLimits limits) throws IOException {
    ledger = Ledger.open(folder.resolve("ledger.db"));
    events = Events.open(ledger, Clock.systemUTC());
    webhooks =
        Webhooks.open(
            ledger,
            events,
            folder.resolve("webhooks.key"),
            this::receive,
            limits,
            Clock.systemUTC());
  }

  @AfterEach
  void close() {
    webhooks.close();
    events.close();
    ledger.close();
  }

  private int receive(URI url, Map<String, String> fields, byte[] body) throws IOException {
    if (status == 0) {
      throw new IOException("It cannot be connected to");
    }
    messages.add(new Message(url, fields, new String(body, StandardCharsets.UTF_8)));
    return status;
  }

  @Test
  void events_arrive_in_order_signed_with_the_secret_that_was_shown() {
    happen(1);
    Made made = webhooks.create(URL, List.of());
    happen(20);
    eventually().until(() -> messages.size() == 20);
    assertThat(messages)
        .extracting(message -> message.fields().get("Cove-Event"))
        .containsExactlyElementsOf(LongStream.rangeClosed(2, 21).mapToObj(Long::toString).toList());
    Message first = messages.getFirst();
    assertThat(first.url()).hasToString(URL);
    assertThat(first.body()).startsWith("{\"id\":2,\"type\":\"network.asked\",\"time\":\"");
    String signature = first.fields().getOrDefault("Cove-Signature", "");
    long seconds = Long.parseLong(signature.substring(2, signature.indexOf(',')));
    assertThat(signature)
        .isEqualTo(Secrets.sign(made.secret().orElseThrow(), seconds, first.body()));
    eventually().until(() -> webhooks.require(made.webhook().id()).delivered() == 21);
  }

  @Test
  void a_signature_is_an_hmac_over_time_and_body() {
    assertThat(Secrets.sign("whsec_key", 1_700_000_000, "{\"id\":1}"))
        .isEqualTo(
            "t=1700000000,v1=b4b2239fbcfd19444434236225195630a7e65f858e6ea3b868d31c5811a25616");
  }

  @Test
  void only_wanted_types_are_told() {
    webhooks.create(URL, List.of("sandbox.*"));
    happen(3);
    write("sandbox.failed");
    eventually().until(() -> messages.size() == 1);
    assertThat(messages.getFirst().body()).contains("sandbox.failed");
  }

  @Test
  void what_is_refused_is_tried_again_before_anything_else() {
    status = 500;
    String id = webhooks.create(URL, List.of()).webhook().id();
    happen(2);
    eventually().until(() -> webhooks.require(id).failures() >= 3);
    assertThat(webhooks.require(id).error()).contains("It answered with status 500");
    assertThat(messages)
        .extracting(message -> message.fields().get("Cove-Event"))
        .containsOnly("1");
    status = 204;
    eventually().until(() -> webhooks.require(id).delivered() == 2);
    assertThat(webhooks.require(id).failures()).isZero();
    assertThat(messages.getLast().fields()).containsEntry("Cove-Event", "2");
  }

  @Test
  void a_restart_goes_on_where_it_was() throws IOException {
    status = 0;
    String id = webhooks.create(URL, List.of()).webhook().id();
    happen(3);
    eventually().until(() -> webhooks.require(id).failures() >= 1);
    close();
    status = 200;
    open();
    eventually().until(() -> webhooks.require(id).delivered() == 3);
    assertThat(messages).hasSize(3);
    happen(1);
    eventually().until(() -> messages.size() == 4);
  }

  @Test
  void what_nobody_takes_becomes_a_dead_letter_that_can_be_told_again() throws IOException {
    close();
    open(new WebhookLimits(2, Duration.ofMillis(1), Duration.ofMillis(5), Duration.ZERO, 3));
    status = 503;
    String id = webhooks.create(URL, List.of()).webhook().id();
    happen(5);
    eventually().until(() -> webhooks.require(id).delivered() == 5);
    List<DeadLetter> dead = webhooks.deadLetters(id);
    assertThat(dead).extracting(letter -> letter.event().id()).containsExactly(3L, 4L, 5L);
    assertThat(dead.getFirst().error()).contains("503");
    assertThat(webhooks.require(id).dropped()).isEqualTo(2);

    assertThat(webhooks.retry(id, Optional.empty()).error())
        .contains("It answered with status 503");
    assertThat(webhooks.deadLetters(id)).hasSize(3);
    messages.clear();
    status = 200;
    assertThat(webhooks.retry(id, Optional.of(4L))).isEqualTo(new Retried(1, 2, Optional.empty()));
    assertThat(webhooks.retry(id, Optional.empty())).isEqualTo(new Retried(2, 0, Optional.empty()));
    assertThat(messages)
        .extracting(message -> message.fields().get("Cove-Event"))
        .containsExactly("4", "3", "5");
    assertThatThrownBy(() -> webhooks.retry(id, Optional.of(4L))).isInstanceOf(CoveException.class);
  }

  @Test
  void what_was_dropped_before_it_could_be_told_is_told_to_be_missing() {
    String id = webhooks.create(URL, List.of()).webhook().id();
    webhooks.change(id, enabled(false));
    happen(3);
    ledger.write(session -> session.run("delete from event"));
    happen(1);
    webhooks.change(id, enabled(true));
    eventually().until(() -> messages.size() == 2);
    assertThat(messages.getFirst().body())
        .contains("events.dropped")
        .contains("{\"after\":0,\"from\":4}");
    assertThat(messages.getLast().fields()).containsEntry("Cove-Event", "4");
  }

  @Test
  void a_disabled_webhook_hears_nothing_and_later_everything() {
    String id = webhooks.create(URL, List.of()).webhook().id();
    webhooks.change(id, enabled(false));
    happen(2);
    assertThat(webhooks.test(id)).isEqualTo(new Attempt(true, "It answered with status 200"));
    assertThat(messages).hasSize(1);
    webhooks.change(id, enabled(true));
    eventually().until(() -> messages.size() == 3);
  }

  @Test
  void a_removed_webhook_hears_nothing() {
    String id = webhooks.create(URL, List.of()).webhook().id();
    String other = webhooks.create(URL + "2", List.of()).webhook().id();
    webhooks.remove(id);
    happen(1);
    eventually().until(() -> webhooks.require(other).delivered() == 1);
    assertThat(messages).extracting(message -> message.url().getPath()).containsOnly("/cove2");
    assertThatThrownBy(() -> webhooks.require(id)).isInstanceOf(CoveException.class);
  }

  @Test
  void a_new_secret_is_another_one_and_neither_is_in_the_ledger() throws IOException {
    Made made = webhooks.create(URL, List.of());
    String first = made.secret().orElseThrow();
    String id = made.webhook().id();
    String second =
        webhooks
            .change(
                id, new WebhookChange(Optional.empty(), Optional.empty(), Optional.empty(), true))
            .secret()
            .orElseThrow();
    assertThat(second).isNotEqualTo(first).startsWith("whsec_");
    close();
    for (Path file : List.of(folder.resolve("ledger.db"), folder.resolve("webhooks.key"))) {
      assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
          .doesNotContain(first.substring(6))
          .doesNotContain(second.substring(6));
    }
    assertThat(Files.getPosixFilePermissions(folder.resolve("webhooks.key")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    open();
  }

  @Test
  void without_its_key_file_a_webhook_says_so_and_gets_a_new_secret() throws IOException {
    String id = webhooks.create(URL, List.of()).webhook().id();
    close();
    Files.delete(folder.resolve("webhooks.key"));
    open();
    happen(1);
    assertThat(webhooks.require(id).error())
        .hasValueSatisfying(why -> assertThat(why).contains("key file"));
    assertThatThrownBy(() -> webhooks.test(id)).hasMessageContaining("key file");
    var _ =
        webhooks.change(
            id, new WebhookChange(Optional.empty(), Optional.empty(), Optional.empty(), true));
    eventually().until(() -> messages.size() == 1);
  }

  @Test
  void there_are_only_so_many() {
    webhooks.create(URL, List.of());
    webhooks.create(URL, List.of());
    assertThatThrownBy(() -> webhooks.create(URL, List.of())).hasMessageContaining("2 webhooks");
  }

  @Test
  void an_address_that_is_none_is_refused() {
    for (String bad :
        List.of(
            "",
            "ftp://a.example/",
            "file:///etc/passwd",
            "https://user:pw@a.example/",
            "https://a.example/#x",
            "https:///x",
            "https://a.example:99999/",
            "https://a.example/\r\nX: y",
            "https://a.example/" + "x".repeat(2_048))) {
      assertThatThrownBy(() -> webhooks.create(bad, List.of()))
          .as(bad)
          .hasMessageContaining("A webhook's url is");
    }
    assertThat(webhooks.list()).isEmpty();
  }

  private static WebhookChange enabled(boolean on) {
    return new WebhookChange(Optional.empty(), Optional.empty(), Optional.of(on), false);
  }

  private void happen(int count) {
    for (int i = 0; i < count; i++) {
      write("network.asked");
    }
  }

  private void write(String type) {
    ledger.write(session -> {
      Events.write(session, type, Optional.of(new SandboxId("aaaaaaaaaaaaaa")), "{}");
      return true;
    });
  }

  private static ConditionFactory eventually() {
    return Awaitility.await().atMost(Duration.ofSeconds(30));
  }
}
