package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Builds that nobody waits for, when the server ends: it looks afterwards for what they left. */
class BuildsAtTheEndTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  @Test
  void a_server_that_ends_takes_builds_in_the_background_with_it() throws Exception {
    try (var api = new RawApi(server)) {
      HttpResponse<String> made = api.post("/e2b/v3/templates", "{\"name\":\"endless\"}");
      assertThat(made.statusCode()).as(made.body()).isEqualTo(202);
      JsonNode build = JsonMapper.shared().readTree(made.body());
      String place = "templates/endless/builds/" + build.get("buildID").asString();
      HttpResponse<String> begun =
          api.post(
              "/e2b/v2/" + place,
              "{\"fromTemplate\":\"base\",\"steps\":"
                  + "[{\"type\":\"RUN\",\"args\":[\"echo begun; sleep 600\"]}]}");
      assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThat(api.get("/e2b/" + place + "/status").body()).contains("\"begun\""));
    }
  }
}
