package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkLogEntry;
import dev.cove.sdk.Projects.Project;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Usage;
import dev.cove.sdk.UsageQuery;
import dev.cove.testing.world.WorldNames;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What passes between sandboxes and the world is counted, and a project's days have an end. */
class EgressQuotaTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WORLD = "world.test";
  private static final WorldNames names = worldNames();

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of(
              "COVE_PRIVATE_RANGES",
              "127.77.0.0/16",
              "COVE_DNS",
              names.address().getAddress().getHostAddress() + ":" + names.address().getPort(),
              "COVE_METER_INTERVAL_MS",
              "100"));

  private static WorldServer echo;

  private static WorldNames worldNames() {
    try {
      return new WorldNames();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeAll
  static void openTheWorld() throws IOException {
    echo = new WorldServer("127.77.3.1", WorldServer.ECHO);
    names.put(WORLD, "127.77.3.1");
  }

  @AfterAll
  static void closeTheWorld() throws IOException {
    echo.close();
    names.close();
  }

  @AfterEach
  void end() {
    for (Project project : server.cove().projects().list()) {
      try (Cove cove = in(project.name())) {
        cove.sandboxes().list().forEach(box -> cove.sandboxes().delete(box.id()));
      }
    }
  }

  private static Cove in(String project) {
    return Cove.connect(server.url(), server.key(), project);
  }

  private static Sandbox create(Cove cove) {
    return cove.sandboxes()
        .create(CreateOptions.defaults().network(Network.denying().allow(WORLD)));
  }

  private static void limit(String project, double megabytes) {
    server
        .cove()
        .projects()
        .change(project, Map.of("egressMbPerDay", OptionalDouble.of(megabytes)));
  }

  /** Sends so many bytes, and says how many came back before the connection ended. */
  private static Command send(long bytes) {
    return Command.shell(
        """
        timeout 50 python3 - <<'END'
        import socket, threading
        peer = socket.create_connection(("%s", %d))
        left = %d
        def send():
          try:
            for at in range(0, left, 65536): peer.sendall(b"\\xff" * min(65536, left - at))
            peer.shutdown(socket.SHUT_WR)
          except OSError: pass
        threading.Thread(target=send).start()
        got = 0
        try:
          while True:
            part = peer.recv(65536)
            if not part: break
            got += len(part)
        except OSError: pass
        print(got)
        END
        """
            .formatted(WORLD, echo.port(), bytes));
  }

  private static long echoed(Sandbox box, long bytes) {
    return Long.parseLong(box.exec(send(bytes)).stdout().strip());
  }

  private static String refusal(Sandbox box) {
    return box.exec(
            Command.shell(
                "timeout 20 curl -sS -i http://%s:%d/ 2>&1".formatted(WORLD, echo.port())))
        .stdout();
  }

  private static Usage.Item used(String sandbox) {
    return server.cove().usage(UsageQuery.by("sandbox").sandbox(sandbox)).items().getFirst();
  }

  private static void awaitPassed(String sandbox, long eachWay) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          assertThat(used(sandbox).sentBytes()).isEqualTo(eachWay);
          assertThat(used(sandbox).receivedBytes()).isEqualTo(eachWay);
        });
  }

  @Test
  void bytes_that_passed_are_counted_to_the_last_across_servers_and_deletion() throws Exception {
    Sandbox box = create(server.cove()).detach();
    assertThat(echoed(box, 300_001)).isEqualTo(300_001);
    awaitPassed(box.id(), 300_001);

    assertThat(echoed(box, 77)).isEqualTo(77);
    server.stop(); // which reads once more
    server.start();
    awaitPassed(box.id(), 300_078);

    Sandbox same = server.cove().sandboxes().require(box.id());
    assertThat(echoed(same, 1_000)).isEqualTo(1_000);
    awaitPassed(box.id(), 301_078);
    server.kill();
    server.start();
    awaitPassed(box.id(), 301_078);

    Sandbox again = server.cove().sandboxes().require(box.id());
    assertThat(echoed(again, 22)).isEqualTo(22);
    again.delete();
    awaitPassed(box.id(), 301_100);
  }

  @Test
  void a_spent_day_ends_what_goes_on_and_refuses_what_comes_for_that_project_alone()
      throws Exception {
    server.cove().projects().create("spender");
    server.cove().projects().create("other");
    limit("spender", 1);
    limit("other", 8);
    try (Cove spender = in("spender");
        Cove other = in("other")) {
      Sandbox box = create(spender);
      Sandbox second = create(spender);
      Sandbox untouched = create(other);
      hang(second);
      hang(untouched);

      assertThat(echoed(box, 100_000)).isEqualTo(100_000);
      assertThat(echoed(box, 4 << 20)).as("of the rest, both ways").isLessThan(1 << 20);
      awaitFile(second, "/tmp/cut"); // where nothing was sent meanwhile
      assertThat(refusal(box))
          .startsWith("HTTP/1.1 403")
          .contains("X-Cove-Denied: quota egressMbPerDay of project spender");
      assertThat(refusal(second)).startsWith("HTTP/1.1 403");
      assertThat(box.networkLog(50))
          .extracting(NetworkLogEntry::rule)
          .contains("quota egressMbPerDay of project spender");
      Project shown = server.cove().projects().require("spender");
      assertThat(shown.quotas()).containsEntry("egressMbPerDay", 1.0);
      assertThat(shown.used()).containsEntry("egressMbPerDay", 1.0);

      assertThat(echoed(untouched, 50_000)).as("of another project").isEqualTo(50_000);
      assertThat(untouched.exec("test", "-e", "/tmp/cut").exitCode()).isNotZero();

      server.stop();
      server.start();
    }
    try (Cove spender = in("spender")) {
      Sandbox box = spender.sandboxes().require(spender.sandboxes().list().getFirst().id());
      assertThat(refusal(box)).as("after a restart").startsWith("HTTP/1.1 403");
      limit("spender", 4);
      assertThat(echoed(box, 100_000)).as("of a higher quota").isEqualTo(100_000);
      limit("spender", 0);
      assertThat(refusal(box)).startsWith("HTTP/1.1 403");
      Cli.of(server).run("project", "set", "spender", "--egress-per-day", "none").succeeded();
      assertThat(echoed(box, 100_000)).isEqualTo(100_000);
      assertThat(
              Cli.of(server)
                  .run("project", "set", "other", "--egress-per-day", "2G")
                  .succeeded()
                  .stdout())
          .contains("EGRESS/DAY")
          .contains("of 2G");
    }
  }

  /** Leaves a program behind that has a connection and waits until it is cut. */
  private static void hang(Sandbox box) {
    Command program =
        Command.shell(
            """
            python3 - <<'END'
            import socket
            peer = socket.create_connection(("%s", %d))
            peer.sendall(b"\\xff")
            peer.recv(1)
            open("/tmp/hanging", "w").close()
            try: peer.recv(1)
            except OSError: pass
            open("/tmp/cut", "w").close()
            END
            """
                .formatted(WORLD, echo.port()));
    box.start(program.keepRunning()).close();
    awaitFile(box, "/tmp/hanging");
  }

  private static void awaitFile(Sandbox box, String file) {
    Awaitility.await().atMost(PATIENCE).until(() -> box.exec("test", "-e", file).exitCode() == 0);
  }
}
