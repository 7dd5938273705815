package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Volume;
import java.nio.file.Files;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server, and with it the spawner, is killed while sandboxes have volumes. */
class VolumeCrashTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  private static CreateOptions writing() {
    return CreateOptions.defaults().volume("kept", "/data");
  }

  @Test
  void it_stays_mounted_and_taken_and_what_nobody_knows_is_removed() throws Exception {
    Volume volume = server.cove().volumes().create("kept", 32);
    String id = server.create(writing().name("writer")).detach().id();
    server
        .cove()
        .sandboxes()
        .require(id)
        .exec("sh", "-c", "echo before > /data/file; sync /data/file");
    server.kill();
    var unknown = server.home().resolve("data/engine/volumes/vzzzzzzzzzzzzzzzzzzz");
    Files.writeString(unknown, "half made");
    server.start();

    assertThat(unknown).doesNotExist();
    Sandbox box = server.cove().sandboxes().require("writer");
    assertThat(box.files().readString("/data/file")).isEqualTo("before\n");
    assertThat(server.cove().volumes().require("kept").mountedBy()).containsExactly(id);
    assertRefused(409, "conflict", () -> server.create(writing()));
    assertRefused(409, "conflict", () -> server.cove().volumes().delete("kept"));
    box.files().write("/data/file", "after");
    Volume checkpoint = server.cove().volumes().checkpoint("kept");
    assertThat(server.cove().volumes().files(checkpoint.id()).readString("/file"))
        .isEqualTo("after");

    killAgentOf(id);
    Awaitility.await()
        .until(() -> server.cove().sandboxes().require("writer").info().state().equals("stopped"));
    assertThat(server.cove().volumes().files("kept").readString("/file")).isEqualTo("after");
    server.kill();
    server.start();
    try (Sandbox next = server.create(writing())) {
      assertThat(next.files().readString("/data/file")).isEqualTo("after");
    }
    server.cove().sandboxes().delete("writer");
    server.cove().volumes().delete(checkpoint.id());
    server.cove().volumes().delete(volume.id());
    assertThat(server.cove().volumes().list()).isEmpty();
  }

  private static void killAgentOf(String id) throws Exception {
    ProcessHandle.of(HostProcesses.agentOf(id)).orElseThrow().destroyForcibly();
  }
}
