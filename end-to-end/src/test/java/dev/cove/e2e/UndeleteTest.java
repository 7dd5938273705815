package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Deletions that can be taken back for a while, as users have them. */
class UndeleteTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  private Cli.Outcome cove(String... arguments) throws Exception {
    return Cli.of(server).run(arguments);
  }

  @Test
  void rm_with_a_grace_keeps_files_and_undelete_brings_them_back() throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("demo")).detach();
    box.files().write("/home/user/file", "kept");
    cove("rm", "--grace", "1h", "demo").succeeded();
    assertThat(cove("ls", "-q").succeeded().stdout()).isEmpty();
    assertThat(cove("ls", "--deleted").succeeded().stdout())
        .contains(box.id())
        .contains("demo")
        .contains("deleted, kept for");
    assertThat(server.cove().disk().items()).anyMatch(share -> share.id().equals(box.id()));
    assertRefused(404, "not_found", () -> server.cove().sandboxes().require(box.id()));
    assertThat(cove("rm", "demo").exitCode()).isEqualTo(1);

    Sandbox other = server.create(CreateOptions.defaults().name("demo")).detach();
    var back = cove("undelete", "demo").succeeded();
    assertThat(back.stdout().strip()).isEqualTo(box.id());
    assertThat(back.stderr()).contains("The name demo is taken");
    Sandbox again = server.cove().sandboxes().require(box.id());
    assertThat(again.info().name()).isEqualTo(box.id());
    assertThat(again.info().reason()).contains("undeleted");
    assertThat(again.files().readString("/home/user/file")).isEqualTo("kept");
    cove("rm", box.id(), other.id()).succeeded();
  }

  @Test
  void when_the_time_is_over_or_somebody_says_so_it_is_gone_for_good() throws Exception {
    Sandbox brief = server.create().detach();
    Sandbox lasting = server.create(CreateOptions.defaults().name("long")).detach();
    Sandbox meanwhile = server.create().detach();
    var boxes = server.cove().sandboxes();
    boxes.delete(meanwhile.id(), Duration.ofSeconds(3));
    boxes.delete(brief.id(), Duration.ofSeconds(1));
    boxes.delete(lasting.id(), Duration.ofHours(1));
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> boxes.listDeleted().stream().noneMatch(b -> b.id().equals(brief.id())));
    assertRefused(404, "not_found", () -> boxes.undelete(brief.id()));
    server.stop();
    Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
    server.start();
    assertThat(server.cove().sandboxes().listDeleted())
        .extracting(SandboxInfo::id)
        .containsExactly(lasting.id());
    cove("rm", "--now", "long").succeeded();
    assertThat(server.cove().sandboxes().listDeleted()).isEmpty();
    assertThat(HomeAudit.faultsOf(server)).isEmpty();
  }
}
