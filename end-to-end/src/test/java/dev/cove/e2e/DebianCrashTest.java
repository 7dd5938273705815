package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CoveException;
import dev.cove.sdk.TemplateBuild;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server is killed while another program of the host works for it. */
class DebianCrashTest {
  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  /** It stands still, so that it cannot end by itself, nor reach any network. */
  @Test
  void a_bootstrap_ends_with_the_server_and_leaves_nothing() throws Exception {
    Thread caller = Thread.ofVirtual().start(DebianCrashTest::build);
    ProcessHandle bootstrap =
        Awaitility.await("mmdebstrap").until(DebianCrashTest::find, Optional::isPresent).get();
    HostProcesses.signal(bootstrap.pid(), "STOP");
    server.kill();
    caller.join();
    Awaitility.await("its end").until(() -> !HostProcesses.isRunning(bootstrap.pid()));
    server.start();
    assertThat(HomeAudit.faultsOf(server)).isEmpty();
    assertThat(server.cove().templates().list()).allMatch(template -> template.builtIn());
  }

  private static void build() {
    try {
      server.cove().templates().build(TemplateBuild.fromDebian().name("cut-short"));
    } catch (CoveException e) {
      assertThat(e).as("the server has been killed").isNotNull();
    }
  }

  private static Optional<ProcessHandle> find() {
    return ProcessHandle.of(server.pid())
        .orElseThrow()
        .descendants()
        .filter(process ->
            String.join(" ", HostProcesses.commandLine(process.pid())).contains("/mmdebstrap "))
        .filter(process -> !HostProcesses.commandLine(process.pid()).getFirst().contains("unshare"))
        .findFirst();
  }
}
