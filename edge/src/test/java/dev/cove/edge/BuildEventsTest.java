package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is heard of a build that takes long. Each ends as this host cannot seal what it made. */
class BuildEventsTest {
  @RegisterExtension static final RunningEdge EDGE = RunningEdge.impatient();

  private static EventReader build(String script, String key) throws IOException {
    String body =
        "{\"name\":\"long\",\"from\":\"host\",\"steps\":[{\"run\":\"%s\"}]}".formatted(script);
    return new EventReader(EDGE, "POST", "/api/v1/templates", body, key);
  }

  private static void passSteps(EventReader events) throws IOException {
    assertThat(events.next().data().get("text").asString()).isEqualTo("FROM host");
    assertThat(events.next().data().get("text").asString()).startsWith("run ");
  }

  @Test
  void a_silent_step_says_that_it_lives_longer_than_a_connection_may_idle() throws Exception {
    try (var events = build("sleep 2.5; echo late", EDGE.key())) {
      passSteps(events);
      assertThat(events.next().data().get("text").asString()).isEqualTo("late\n");
      assertThat(events.comments()).isGreaterThanOrEqualTo(3);
      assertThat(events.next().name()).isEqualTo("error");
      assertThat(events.isAtEnd()).as("nothing beats after the end").isTrue();
    }
  }

  @Test
  void a_step_that_speaks_needs_no_other_sign_of_life() throws Exception {
    try (var events =
        build("for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.02; done", EDGE.key())) {
      passSteps(events);
      for (var event = events.next(); event.name().equals("output"); event = events.next()) {
        assertThat(event.data().get("text").asString()).isNotEmpty();
      }
      assertThat(events.comments()).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void a_build_ends_when_its_key_is_revoked() throws Exception {
    var issued = EDGE.keys().issue("short");
    try (var events = build("sleep 600", issued.secret())) {
      passSteps(events);
      EDGE.keys().revoke(issued.key().id());
      var error = events.next();
      assertThat(error.name()).isEqualTo("error");
      assertThat(error.data().get("detail").asString()).contains("key was revoked");
    }
  }
}
