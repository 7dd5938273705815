package dev.cove.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the server says of checkpoints and forks, as values. */
class CheckpointTest {
  private static final String CHECKPOINT =
      """
      {"id":"c1","sandbox":"abc","name":"","reason":"before-restore",\
      "createdAt":"2026-11-16T03:00:00Z","template":"host","bytes":5000000000,"frozenMs":3.21,\
      "copied":true,"memory":false,"layers":2,"digest":"sha256:ab"}\
      """;
  private static final String CHILD =
      """
      {"id":"kid","name":"n","project":"p","state":"running","template":"host",\
      "tier":"container","cpus":1,\
      "memoryMb":64,"diskMb":128,"maxProcesses":32,"labels":{},\
      "createdAt":"2026-11-16T03:00:00Z","parent":"abc","life":{"keepAlive":true}}\
      """;

  private static JsonObject json(String text) {
    return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
  }

  private static List<Fork> forks(String items) {
    try (var api = new Api(URI.create("http://127.0.0.1:1"), "cove_key", Optional.empty())) {
      return Sandbox.forks(api, json("{\"items\":[" + items + "]}"));
    }
  }

  @Test
  void a_checkpoint_is_read_with_all_that_the_server_says_of_it() {
    assertThat(Checkpoint.of(json(CHECKPOINT)))
        .isEqualTo(
            new Checkpoint(
                "c1",
                "abc",
                "",
                "before-restore",
                Instant.parse("2026-11-16T03:00:00Z"),
                "host",
                5_000_000_000L,
                Duration.ofNanos(3_210_000),
                true,
                false,
                2,
                Optional.of("sha256:ab")));
  }

  @Test
  void a_checkpoint_is_written_as_it_was_read() {
    assertThat(Checkpoint.of(json(CHECKPOINT)).toJson()).isEqualTo(CHECKPOINT);
    String young = CHECKPOINT.replace(",\"digest\":\"sha256:ab\"", "");
    assertThat(Checkpoint.of(json(young)).digest()).isEmpty();
    assertThat(Checkpoint.of(json(young)).toJson()).isEqualTo(young);
  }

  @Test
  void a_sandbox_without_a_parent_is_written_without_one() {
    assertThat(SandboxInfo.of(json(CHILD)).parent()).contains("abc");
    assertThat(SandboxInfo.of(json(CHILD)).toJson()).isEqualTo(CHILD);
    String orphan = CHILD.replace(",\"parent\":\"abc\"", "");
    assertThat(SandboxInfo.of(json(orphan)).parent()).isEmpty();
    assertThat(SandboxInfo.of(json(orphan)).toJson()).isEqualTo(orphan);
  }

  @Test
  void a_child_that_failed_does_not_hide_those_that_run() {
    List<Fork> forks =
        forks(
            "{\"sandbox\":%s},{\"problem\":{\"status\":503,\"code\":\"no_room\",\"detail\":\"Full.\"}}"
                .formatted(CHILD));
    assertThat(forks).hasSize(2);
    assertThat(forks.getFirst().sandbox().info().parent()).contains("abc");
    assertThatThrownBy(forks.getLast()::sandbox)
        .isInstanceOfSatisfying(
            CoveApiException.class,
            refusal -> {
              assertThat(refusal.status()).isEqualTo(503);
              assertThat(refusal.code()).isEqualTo("no_room");
              assertThat(refusal).hasMessage("Full.");
            });
  }

  @Test
  void a_fork_without_children_is_no_answer() {
    assertThatThrownBy(() -> forks("")).isInstanceOf(JsonShapeException.class);
    assertThatThrownBy(() -> forks("{}")).isInstanceOf(JsonShapeException.class);
  }

  @Test
  void a_sandbox_can_be_asked_for_by_its_checkpoint_alone() {
    assertThat(Json.writeText(CreateOptions.defaults().checkpoint("c1").toJson()))
        .isEqualTo("{\"checkpoint\":\"c1\"}");
  }
}
