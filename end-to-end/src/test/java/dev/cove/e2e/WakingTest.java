package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.PortConnection;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whatever needs a sandbox wakes it; many at once wake it once. */
class WakingTest {
  private static final int AT_ONCE = 16;

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  /** Something that needs the sandbox, and what it answers. */
  private interface Use {
    String by(Sandbox box) throws Exception;
  }

  private static long resumed(Sandbox box) {
    return server
        .cove()
        .events()
        .list(EventQuery.all().sandbox(box.id()).types("sandbox.resumed"), 1_000)
        .items()
        .size();
  }

  private static String overTheWeb(URI address) throws Exception {
    try (InputStream in = address.toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String overAForward(Sandbox box) throws Exception {
    try (PortConnection connection = box.connect(3000)) {
      connection.output().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(connection.input().readAllBytes(), StandardCharsets.UTF_8);
      return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }
  }

  private static String inATerminal(Sandbox box) throws Exception {
    try (RunningCommand shell = box.start(Command.shell("printf inside").terminal(24, 80))) {
      return new String(shell.stdout().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void each_kind_of_use_wakes_a_paused_sandbox_and_many_at_once_wake_it_once() throws Exception {
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/index.html", "inside");
      box.spawn(Command.of("python3", "-m", "http.server", "3000", "--bind", "127.0.0.1"));
      InnerPython.awaitListening(box, 3000);
      URI address = box.linkPort(3000, Duration.ofHours(1)).pathUrl();

      Map<String, Use> uses = new LinkedHashMap<>();
      uses.put("a request to a port", _ -> overTheWeb(address));
      uses.put("a forward", WakingTest::overAForward);
      uses.put("a terminal", WakingTest::inATerminal);
      uses.put("a file call", one -> one.files().readString("/home/user/index.html"));
      uses.put("a command", one -> one.exec("cat", "/home/user/index.html").stdout());
      for (var use : uses.entrySet()) {
        long before = resumed(box);
        box.pause();
        var answers = AtOnce.times(AT_ONCE, _ -> use.getValue().by(box));
        assertThat(answers).as(use.getKey()).containsOnly("inside");
        assertThat(box.fetchInfo().state()).as(use.getKey()).isEqualTo("running");
        assertThat(resumed(box) - before).as(use.getKey()).isEqualTo(1);
      }
    }
  }

  @Test
  void a_disk_that_was_not_closed_in_order_is_mended_before_it_is_used() throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("torn").diskMb(64)).detach();
    box.files().write("/home/user/file", "kept");
    box.stop(Duration.ofSeconds(2), true);
    server.stop();
    damage(image(box.id()));
    server.start();

    Sandbox same = server.cove().sandboxes().require("torn");
    assertThat(same.files().readString("/home/user/file")).isEqualTo("kept");
    assertThat(same.exec("sh", "-c", "echo more > /home/user/more; cat /home/user/more").stdout())
        .isEqualTo("more\n");
    assertThat(Files.readString(server.log()))
        .contains(box.id() + ": its disk was not closed in order")
        .contains(box.id() + ": its disk was mended");
    same.delete();
  }

  private static Path image(String id) throws Exception {
    try (var files = Files.walk(server.home().resolve("data"))) {
      return files.filter(file -> file.endsWith(Path.of(id, "image"))).findFirst().orElseThrow();
    }
  }

  /** As a loss of power leaves it: not closed, and its count of free blocks is wrong. */
  private static void damage(Path image) throws Exception {
    for (String change : List.of("ssv free_blocks_count 7", "ssv state 0")) {
      Process debugfs =
          new ProcessBuilder("/usr/sbin/debugfs", "-w", "-R", change, image.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(debugfs.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(debugfs.waitFor()).as(said).isZero();
    }
  }
}
