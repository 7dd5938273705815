package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.control.key.Issued;
import dev.cove.edge.RunningEdge.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

class EventApiTest {
  private static final String EVENTS = "/api/v1/events";
  private static final String WEBHOOKS = "/api/v1/webhooks";
  private static final List<String> TOLD = new CopyOnWriteArrayList<>();

  @RegisterExtension
  static final RunningEdge EDGE =
      RunningEdge.impatient()
          .telling((url, _, body) -> {
            TOLD.add(url.getPath() + " " + new String(body, StandardCharsets.UTF_8));
            return url.getPath().equals("/refuses") ? 500 : 200;
          });

  @Test
  void a_page_tells_what_happened_to_a_sandbox() {
    String box = EDGE.create();
    EDGE.delete("/api/v1/sandboxes/" + box);
    Answer page = EDGE.get(EVENTS + "?sandbox=" + box + "&limit=1000");
    assertThat(page.status()).isEqualTo(200);
    assertThat(types(page))
        .containsExactly("sandbox.created", "sandbox.running", "sandbox.deleted");
    assertThat(page.json().get("items").get(0).get("sandbox").asString()).isEqualTo(box);
    String running = EVENTS + "?sandbox=" + box + "&type=sandbox.running&type=key.*";
    assertThat(types(EDGE.get(running))).containsExactly("sandbox.running");
  }

  @Test
  void a_stream_goes_on_where_its_client_was() throws Exception {
    try (var events = new EventReader(EDGE, "GET", EVENTS + "?type=sandbox.*", "")) {
      assertThat(events.next().name()).isEqualTo("ready");
      String box = EDGE.create();
      EventReader.Event created = events.next();
      assertThat(created.name()).isEqualTo("sandbox.created");
      assertThat(created.data().get("sandbox").asString()).isEqualTo(box);
      assertThat(events.next().name()).isEqualTo("sandbox.running");
      long id = created.data().get("id").asLong();
      String again = EVENTS + "?after=" + id + "&sandbox=" + box;
      try (var resumed = new EventReader(EDGE, "GET", again, "")) {
        assertThat(resumed.next().name()).isEqualTo("ready");
        assertThat(resumed.next().data().get("id").asLong()).isEqualTo(id + 1);
      }
      EDGE.delete("/api/v1/sandboxes/" + box);
      assertThat(events.next().name()).isEqualTo("sandbox.deleted");
    }
  }

  @Test
  void what_is_gone_is_said_to_be_gone() throws Exception {
    EDGE.create();
    long beyond = 1_000_000;
    Answer page = EDGE.get(EVENTS + "?after=" + beyond);
    assertThat(page.json().get("dropped").get("after").asLong()).isEqualTo(beyond);
    try (var events = new EventReader(EDGE, "GET", EVENTS + "?after=" + beyond, "")) {
      assertThat(events.next().name()).isEqualTo("ready");
      EventReader.Event dropped = events.next();
      assertThat(dropped.name()).isEqualTo("dropped");
      assertThat(dropped.data().get("from").asLong()).isLessThan(beyond);
    }
  }

  @Test
  void a_revoked_key_cuts_its_stream() throws Exception {
    Issued issued = EDGE.keys().issue("leaves");
    try (var events =
        new EventReader(EDGE, "GET", EVENTS + "?type=sandbox.failed", "", issued.secret())) {
      assertThat(events.next().name()).isEqualTo("ready");
      EDGE.keys().revoke(issued.key().id());
      EventReader.Event end = events.next();
      assertThat(end.name()).isEqualTo("error");
      assertThat(end.data().get("code").asString()).isEqualTo("unauthenticated");
      assertThat(events.isAtEnd()).isTrue();
    }
  }

  @Test
  void there_are_only_so_many_streams_and_their_places_come_back() throws Exception {
    var open = new ArrayList<EventReader>();
    try {
      // Places of streams that other tests have just left come back within a moment.
      RunningEdge.await("all places are taken", () -> open(open) && open.size() == 64);
      Answer refused =
          EDGE.send(EVENTS, request -> request.header("Accept", "text/event-stream").GET());
      assertThat(refused.status()).isEqualTo(429);
      assertThat(EDGE.get(EVENTS).status()).isEqualTo(200);
    } finally {
      for (EventReader events : open) {
        events.close();
      }
    }
    var again = new ArrayList<EventReader>();
    RunningEdge.await("a place is free", () -> open(again));
    again.getFirst().close();
  }

  private static boolean open(List<EventReader> streams) {
    try {
      return streams.add(new EventReader(EDGE, "GET", EVENTS, ""));
    } catch (IOException | AssertionError e) {
      return false;
    }
  }

  @Test
  void nonsense_is_refused_by_name() {
    assertThat(EDGE.get(EVENTS + "?after=-1").detail()).contains("after");
    assertThat(EDGE.get(EVENTS + "?limit=1001").status()).isEqualTo(400);
    assertThat(EDGE.get(EVENTS + "?type=sandbox.exploded").detail()).contains("sandbox.failed");
    assertThat(EDGE.get(EVENTS + "?sandbox=nobody").status()).isEqualTo(404);
    Answer header = EDGE.send(EVENTS, request -> request.header("Last-Event-ID", "x").GET());
    assertThat(header.status()).isEqualTo(400);
  }

  @Test
  void a_webhook_is_made_tried_changed_and_removed() {
    Answer made =
        EDGE.post(WEBHOOKS, "{\"url\":\"https://h.example/told\",\"types\":[\"sandbox.created\"]}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().get("secret").asString()).startsWith("whsec_");
    String one = WEBHOOKS + "/" + made.json().get("id").asString();
    assertThat(EDGE.get(one).json().has("secret")).isFalse();
    assertThat(EDGE.get(WEBHOOKS).text()).doesNotContain("whsec_");
    String box = EDGE.create();
    RunningEdge.await(
        "it was told",
        () -> TOLD.stream().anyMatch(told -> told.startsWith("/told ") && told.contains(box)));
    assertThat(EDGE.post(one + "/test", "").json().get("taken").asBoolean()).isTrue();
    Answer refusing = EDGE.patch(one, "{\"url\":\"https://h.example/refuses\",\"newSecret\":true}");
    assertThat(refusing.json().get("secret").asString())
        .isNotEqualTo(made.json().get("secret").asString());
    Answer tried = EDGE.post(one + "/test", "");
    assertThat(tried.json().get("outcome").asString()).contains("500");
    assertThat(EDGE.get(one + "/dead-letters").json().get("items")).isEmpty();
    assertThat(EDGE.post(one + "/dead-letters/retry", "").json().get("remaining").asInt()).isZero();
    assertThat(EDGE.post(one + "/dead-letters/retry?event=1", "").status()).isEqualTo(404);
    assertThat(EDGE.post(WEBHOOKS, "{\"url\":\"gopher://x\"}").status()).isEqualTo(400);
    assertThat(EDGE.delete(one).status()).isEqualTo(204);
    assertThat(EDGE.get(one).status()).isEqualTo(404);
  }

  private static List<String> types(Answer page) {
    var types = new ArrayList<String>();
    for (JsonNode item : page.json().get("items")) {
      types.add(item.get("type").asString());
    }
    return types;
  }
}
