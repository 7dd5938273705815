package dev.cove.engine.microvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.engine.Cage;
import dev.cove.engine.CageExit;
import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.engine.container.EngineHome;
import dev.cove.engine.container.MachineEngine;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.GuestFiles;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that are machines of their own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MicrovmTest {
  private static final Resources SMALL = new Resources(2_000, 192, 64, 64);

  @SuppressWarnings("NullAway.Init")
  private EngineHome home;

  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private RootFs root;

  @SuppressWarnings("NullAway.Init")
  private ContainerEngine containers;

  @SuppressWarnings("NullAway.Init")
  private MachineEngine machines;

  @BeforeAll
  void open(@TempDir Path temporary) throws IOException {
    var report = Qemu.examine();
    assumeTrue(report.usable(), () -> "No machines on this host: " + report.obstacles());
    folder = temporary;
    home = new EngineHome(folder.resolve("data"), folder.resolve("run"));
    root = SmallRoot.in(folder.resolve("root"));
    openEngines();
  }

  private void openEngines() {
    containers = ContainerEngine.open(home);
    machines = containers.machines(Qemu.open(home.data(), home.run()));
  }

  private void closeEngines() {
    machines.close();
    containers.close();
  }

  @AfterAll
  void close() {
    if (machines != null) {
      machines.present().forEach(machines::remove);
      closeEngines();
    }
  }

  private CagePlan plan() {
    return new CagePlan(SandboxId.random(), root, SMALL);
  }

  private Box box() throws IOException {
    return Box.of(machines.start(plan()));
  }

  @Test
  void a_sandbox_has_a_kernel_names_and_users_of_its_own() throws Exception {
    try (var box = box()) {
      assertThat(box.user("uname -r")).contains("cloud");
      assertThat(box.user("hostname; cat /etc/hostname"))
          .isEqualTo(box.cage().id() + "\n" + box.cage().id());
      assertThat(box.user("id -u; echo mine > /home/user/file; stat -c %u /home/user/file"))
          .isEqualTo("1000\n1000");
      assertThat(box.root("cat /proc/1/status")).contains("Name:\tcove-agent");
      assertThat(box.run("root", "mount -t tmpfs none /tmp").exit().code()).isNotZero();
      assertThat(Long.parseLong(box.user("date +%s")))
          .isCloseTo(System.currentTimeMillis() / 1_000, Offset.offset(5L));
    }
  }

  @Test
  void two_that_began_as_one_share_nothing() throws Exception {
    try (var one = box();
        var other = box()) {
      String look = "cat /etc/machine-id /proc/sys/kernel/random/uuid";
      assertThat(one.user(look).lines())
          .doesNotContainAnyElementsOf(other.user(look).lines().toList());
      one.root("echo here > /root/note");
      assertThat(other.run("root", "cat /root/note").exit().code()).isNotZero();
    }
  }

  @Test
  void processes_and_disk_have_limits_inside() throws Exception {
    try (var box = box()) {
      assertThat(
              box.run("user", "i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i+1)); done").output())
          .contains("fork");
    }
    try (var box = box()) {
      assertThat(box.run("user", "dd if=/dev/zero of=/home/user/big bs=1M count=100").output())
          .contains("No space left on device");
    }
  }

  @Test
  void large_streams_pass_the_port_unchanged() throws Exception {
    try (var box = box()) {
      byte[] bytes = new byte[1 << 20];
      new Random(7).nextBytes(bytes);
      GuestFiles files = box.guest().files(CommandSpec.DEFAULT_USER);
      String path = "/home/user/bytes";
      var _ = files.write(path, new ByteArrayInputStream(bytes), OptionalInt.empty(), false);
      try (var content = files.read(path, 0, -1)) {
        assertThat(content.stream().readAllBytes()).isEqualTo(bytes);
      }
    }
  }

  @Test
  void files_outlive_a_stop_and_a_lost_machine() throws Exception {
    CagePlan plan = plan();
    Cage cage = machines.start(plan);
    try (var guest = Box.of(cage).guest()) {
      new Box(cage, guest).root("echo kept > /root/note");
    }
    cage.halt();
    assertThat(machines.halt(plan.id())).contains(root);
    Cage again = machines.restart(plan);
    try (var box = Box.of(again)) {
      assertThat(box.root("cat /root/note; cat /etc/hostname")).isEqualTo("kept\n" + plan.id());
    }
    assertThat(machines.present()).doesNotContain(plan.id());
  }

  @Test
  void a_checkpoint_holds_the_files_and_only_machines_may_have_it() throws Exception {
    var layer = LayerId.random();
    try (var parent = box()) {
      parent.root("echo deep > /root/state; rm /usr/bin/wc");
      assertThat(parent.cage().seal(layer, true).moved()).isFalse();
      parent.root("echo later > /root/state");
      RootFs sealed = root.over(List.of(layer));
      var plan = new CagePlan(SandboxId.random(), sealed, SMALL);
      try (var child = Box.of(machines.start(plan))) {
        assertThat(child.root("cat /root/state; ls /usr/bin/wc || echo none"))
            .startsWith("deep")
            .endsWith("none");
        assertThat(child.root("hostname")).isEqualTo(plan.id().value());
      }
      assertThatThrownBy(() -> containers.start(new CagePlan(SandboxId.random(), sealed, SMALL)))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("only sandboxes of the tier microvm");
      assertThat(parent.root("cat /root/state")).isEqualTo("later");
    } finally {
      containers.store().removeLayer(layer);
    }
  }

  @Test
  void a_paused_machine_stands_still_and_goes_on() throws Exception {
    try (var box = box()) {
      box.cage().pause();
      Duration before = box.cage().cpu();
      assertThat(box.cage().cpu()).isEqualTo(before);
      box.cage().resume();
      assertThat(box.user("echo on")).isEqualTo("on");
    }
  }

  @Test
  void another_engine_adopts_it_with_what_runs() throws Exception {
    CagePlan plan = plan();
    Cage cage = machines.start(plan);
    try (var link = Box.of(cage).guest()) {
      var spec =
          new CommandSpec(
              List.of("sleep", "1000"),
              Map.of(),
              "/",
              "user",
              false,
              Optional.empty(),
              Duration.ZERO,
              true);
      var _ = link.start(spec);
    }
    closeEngines();
    openEngines();
    assertThat(machines.present()).contains(plan.id());
    Cage adopted = machines.adopt(plan.id()).orElseThrow();
    try (var box = Box.of(adopted)) {
      assertThat(box.guest().processes()).anyMatch(each -> each.argv().contains("1000"));
    }
  }

  @Test
  void the_end_of_its_program_is_the_end_of_the_cage() throws Exception {
    Cage cage = machines.start(plan());
    String process =
        Files.readString(
            home.data().resolve("engine/sandboxes").resolve(cage.id().value()).resolve("process"));
    long pid = Long.parseLong(process.split(" ")[0]);
    assertThat(jailOf(pid))
        .contains("NoNewPrivs:\t1")
        .contains("Seccomp:\t2")
        .contains("CapEff:\t0000000000000000");
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    assertThat(cage.exit().get(30, TimeUnit.SECONDS)).isEqualTo(CageExit.AGENT_GONE);
    cage.destroy();
    assertThat(machines.present()).doesNotContain(cage.id());
  }

  private static String jailOf(long pid) throws IOException {
    return Files.readString(Path.of("/proc/%d/status".formatted(pid)));
  }

  @Test
  void connections_to_anywhere_come_to_the_gateway_and_visitors_to_its_ports() throws Exception {
    try (var box = box();
        var sockets = box.cage().network().open()) {
      var asked =
          box.guest()
              .start(
                  new CommandSpec(
                      List.of(
                          "perl",
                          "-MIO::Socket::INET",
                          "-e",
                          "my $s = IO::Socket::INET->new(PeerAddr => '192.0.2.7:4321', Timeout => 20) or die $!; print <$s>"),
                      Map.of(),
                      "/",
                      "user",
                      false,
                      Optional.empty(),
                      Duration.ofSeconds(60),
                      false));
      try (SocketChannel peer = sockets.connections().accept()) {
        assertThat(peer.getLocalAddress()).isEqualTo(new InetSocketAddress("192.0.2.7", 4321));
        peer.write(ByteBuffer.wrap("hello\n".getBytes(StandardCharsets.UTF_8)));
      }
      assertThat(new String(asked.stdout().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo("hello\n");
      var served =
          box.guest()
              .start(
                  new CommandSpec(
                      List.of(
                          "perl",
                          "-MIO::Socket::INET",
                          "-e",
                          "my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1:8000', Listen => 1) or die $!; $| = 1; print \"up\\n\"; my $c = $s->accept; print $c 'welcome'; close $c"),
                      Map.of(),
                      "/",
                      "user",
                      false,
                      Optional.empty(),
                      Duration.ofSeconds(60),
                      false));
      assertThat(served.stdout().readNBytes(3)).asString().isEqualTo("up\n");
      try (SocketChannel visitor = box.cage().network().visitor(StandardProtocolFamily.INET)) {
        visitor.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 8000));
        var read = ByteBuffer.allocate(100);
        visitor.read(read);
        assertThat(new String(read.array(), 0, read.position(), StandardCharsets.UTF_8))
            .isEqualTo("welcome");
      }
    }
  }
}
