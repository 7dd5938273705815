package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Boundary;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Fork;
import dev.cove.sdk.Network;
import dev.cove.sdk.PortConnection;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TierInfo;
import dev.cove.testing.world.WorldServer;
import java.nio.charset.StandardCharsets;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The gVisor tier through the same doors as every sandbox. */
class GvisorTest {
  private static final CreateOptions GVISOR = CreateOptions.defaults().tier("gvisor");

  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("secure.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(world::settings);

  private static WorldServer allowed;
  private static WorldServer evil;

  @BeforeAll
  static void openTheWorld() throws Exception {
    allowed = world.web("127.77.0.1");
    evil = world.web("127.77.0.2");
    world.names().put("allowed.test", "127.77.0.1");
    world.names().put("evil.test", "127.77.0.2");
  }

  @Test
  void a_sandbox_has_a_kernel_of_its_own_and_says_what_holds_it() {
    try (Sandbox box = server.create(GVISOR)) {
      assertThat(box.exec("dmesg").stdout()).contains("gVisor");
      Boundary boundary = box.fetchInfo().boundary().orElseThrow();
      assertThat(boundary.kernel()).isEqualTo("own");
      assertThat(boundary.hardware()).isFalse();
      assertThat(boundary.by()).startsWith("runsc");
      assertThat(boundary.notCovered()).isNotEmpty();
      assertThat(box.fetchInfo().tier()).isEqualTo("gvisor");
    }
    assertThat(server.cove().tiers())
        .filteredOn(TierInfo::usable)
        .extracting(TierInfo::tier)
        .contains("container", "gvisor");
  }

  @Test
  void whoever_wants_a_kernel_of_his_own_gets_it_and_whoever_wants_more_than_there_is_nothing() {
    try (Sandbox box = server.create(CreateOptions.defaults().requireOwnKernel())) {
      assertThat(box.fetchInfo().tier()).isEqualTo("gvisor");
    }
    assertRefused(
        422,
        "tier_unavailable",
        () -> server.create(CreateOptions.defaults().tier("container").requireOwnKernel()));
    assertRefused(
        422, "tier_unavailable", () -> server.create(GVISOR.requireMemoryInCheckpoints()));
    assertRefused(
        400, "invalid_request", () -> server.create(CreateOptions.defaults().tier("stone")));
  }

  @Test
  void commands_users_streams_terminals_and_files_are_as_everywhere() throws Exception {
    try (Sandbox box = server.create(GVISOR)) {
      ExecResult result = box.exec(Command.shell("id -u; echo no >&2; exit 7"));
      assertThat(result.stdout()).isEqualTo("1000\n");
      assertThat(result.stderr()).isEqualTo("no\n");
      assertThat(result.exitCode()).isEqualTo(7);
      assertThat(box.exec(Command.shell("id -u").user("root")).stdout()).isEqualTo("0\n");
      assertThat(box.exec(Command.shell("ls -la /; python3 -c 'import pty; pty.spawn([\"tty\"])'")))
          .satisfies(done -> assertThat(done.stderr()).isEmpty())
          .satisfies(done -> assertThat(done.stdout()).contains("/dev/pts/"));

      box.files().write("/home/user/b", "inside");
      assertThat(box.exec("cat", "/home/user/b").stdout()).isEqualTo("inside");
      assertThat(box.exec("stat", "-c", "%U", "/home/user/b").stdout()).isEqualTo("user\n");
      box.exec(Command.shell("echo root > /root/secret; chmod 600 /root/secret").user("root"));
      assertThat(box.exec("cat", "/root/secret").exitCode()).isNotZero();
      assertRefused(422, "guest_refused", () -> box.files().readString("/root/secret"));
    }
  }

  @Test
  void it_reaches_what_it_may_and_nothing_else_and_its_ports_are_reached() throws Exception {
    var reach = Network.denying().allow("allowed.test:" + allowed.port());
    try (Sandbox box = server.create(GVISOR.network(reach))) {
      String curl = "timeout 20 curl -sS -o /dev/null -w '%%{http_code}' http://%s:%d/";
      assertThat(box.exec(Command.shell(curl.formatted("allowed.test", allowed.port()))).stdout())
          .isEqualTo("200");
      int before = evil.connections();
      assertThat(box.exec(Command.shell(curl.formatted("evil.test", evil.port()))).stdout())
          .isEqualTo("403");
      String address = curl.formatted("127.77.0.2", evil.port());
      assertThat(box.exec(Command.shell(address)).stdout()).isNotEqualTo("200");
      assertThat(evil.connections()).isEqualTo(before);

      box.files().write("/home/user/index.html", "inside");
      box.spawn(Command.of("python3", "-m", "http.server", "8080", "--bind", "127.0.0.1"));
      InnerPython.awaitListening(box, 8080);
      try (PortConnection connection = box.connect(8080)) {
        connection.output().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(connection.input().readAllBytes(), StandardCharsets.UTF_8))
            .startsWith("HTTP/1.0 200")
            .endsWith("inside");
      }
    }
  }

  @Test
  void checkpoints_restores_and_forks_keep_its_files_and_go_from_tier_to_tier() {
    try (Sandbox box = server.create(GVISOR)) {
      box.exec(Command.shell("echo one > /home/user/state; echo two > /tmp/state"));
      Checkpoint point = box.checkpoint();
      box.exec(Command.shell("rm /home/user/state /tmp/state"));
      box.restore(point.id());
      assertThat(box.exec(Command.shell("cat /home/user/state /tmp/state")).stdout())
          .isEqualTo("one\ntwo\n");
      var elsewhere = CreateOptions.defaults().checkpoint(point.id()).tier("container");
      try (Sandbox container = server.create(elsewhere);
          Sandbox again = server.create(CreateOptions.defaults().checkpoint(point.id()))) {
        assertThat(container.exec("cat", "/tmp/state").stdout()).isEqualTo("two\n");
        assertThat(container.fetchInfo().tier()).isEqualTo("container");
        assertThat(again.exec("cat", "/tmp/state").stdout()).isEqualTo("two\n");
        assertThat(again.fetchInfo().tier()).isEqualTo("gvisor");
      }
      for (Sandbox fork : box.fork(2).stream().map(Fork::sandbox).toList()) {
        assertThat(fork.exec("cat", "/home/user/state").stdout()).isEqualTo("one\n");
        assertThat(fork.exec("hostname").stdout()).isEqualTo(fork.id() + "\n");
        fork.delete();
      }
    }
  }

  @Test
  void it_stands_still_and_goes_on_and_a_stop_asks_its_programs_to_end() {
    try (Sandbox box = server.create(GVISOR)) {
      box.spawn(
          Command.shell(
              "trap 'echo ended > /home/user/said; exit' TERM; while :; do sleep 0.1; done"));
      box.pause();
      assertThat(box.fetchInfo().state()).isEqualTo("paused");
      box.resume();
      assertThat(box.exec("echo", "on").stdout()).isEqualTo("on\n");
      box.stop();
      box.start();
      assertThat(box.exec("cat", "/home/user/said").stdout()).isEqualTo("ended\n");
    }
  }

  @Test
  void memory_and_disk_are_limited_and_the_neighbour_lives_on() {
    try (Sandbox hungry = server.create(GVISOR.memoryMb(128).diskMb(64));
        Sandbox neighbour = server.create()) {
      ExecResult full =
          hungry.exec(
              Command.shell("head -c 100M /dev/zero > /home/user/f; stat -c %s /home/user/f"));
      assertThat(Long.parseLong(full.stdout().strip())).isLessThan(64L << 20);
      hungry.spawn(Command.of("python3", "-c", "x = b'x' * (1 << 30)"));
      Awaitility.await().until(() -> hungry.fetchInfo().state(), "stopped"::equals);
      assertThat(hungry.fetchInfo().reason()).contains("out_of_memory");
      assertThat(neighbour.exec("echo", "alive").stdout()).isEqualTo("alive\n");
    }
  }

  @Test
  void it_outlives_a_crash_of_the_server_with_its_programs() throws Exception {
    String id = server.create(GVISOR).detach().id();
    Sandbox before = server.cove().sandboxes().require(id);
    ProcessInfo sleeping = before.spawn(Command.of("sleep", "1000"));
    server.kill();
    server.start();
    Sandbox after = server.cove().sandboxes().require(id);
    assertThat(after.fetchInfo().state()).isEqualTo("running");
    assertThat(after.requireProcess(sleeping.processId()).running()).isTrue();
    assertThat(after.exec("echo", "here").stdout()).isEqualTo("here\n");
    long porter = HostProcesses.agentOf(id);
    after.delete();
    assertThat(HostProcesses.isRunning(porter)).isFalse();
  }
}
