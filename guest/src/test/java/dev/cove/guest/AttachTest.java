package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class AttachTest {
  private static final int RING = 1 << 20;

  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private static CommandSpec kept(boolean stdin, String script) {
    return new CommandSpec(
        List.of("sh", "-c", script),
        Map.of(),
        "/",
        "root",
        stdin,
        Optional.empty(),
        Duration.ZERO,
        true);
  }

  private static void awaitEnd(GuestLink link, long id) throws Exception {
    Await.until(
        "command " + id + " ended",
        () -> link.processes().stream().anyMatch(p -> p.processId() == id && p.exit().isPresent()));
  }

  @Test
  void exit_and_output_are_kept_for_a_late_reader() throws Exception {
    GuestLink link = agent.link();
    Command first = link.start(kept(false, "echo out; echo err >&2; exit 9"));
    first.close();
    awaitEnd(link, first.processId());
    for (int i = 0; i < 2; i++) {
      try (Command late = link.attach(first.processId())) {
        assertThat(ExecTest.text(late.stdout())).isEqualTo("out\n");
        assertThat(ExecTest.text(late.stderr())).isEqualTo("err\n");
        assertThat(ExecTest.exitOf(late).code()).isEqualTo(9);
      }
    }
    link.forget(first.processId());
    assertThatThrownBy(() -> link.attach(first.processId()))
        .isInstanceOf(GuestException.class)
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void with_nobody_reading_the_last_mebibyte_is_kept_and_the_rest_counted() throws Exception {
    GuestLink link = agent.link();
    Command first = link.start(kept(false, "sleep 0.3; head -c 3000000 /dev/zero; printf end"));
    first.close();
    awaitEnd(link, first.processId());
    try (Command late = link.attach(first.processId())) {
      byte[] all = late.stdout().readAllBytes();
      assertThat(all).hasSize(RING);
      assertThat(new String(all, RING - 3, 3, UTF_8)).isEqualTo("end");
      assertThat(((LinkCommand) late).droppedOutput()).isEqualTo(3_000_003 - RING);
    }
  }

  @Test
  void a_reader_that_comes_back_gets_what_it_had_read_again() throws Exception {
    GuestLink link = agent.link();
    Command first = link.start(kept(true, "echo one; read x; echo $x; read y; echo $y"));
    assertThat(first.stdout().readNBytes(4)).isEqualTo("one\n".getBytes(UTF_8));
    first.stdin().write("two\n".getBytes(UTF_8));
    assertThat(first.stdout().readNBytes(4)).isEqualTo("two\n".getBytes(UTF_8));
    first.close();
    try (Command again = link.attach(first.processId())) {
      again.stdin().write("three\n".getBytes(UTF_8));
      assertThat(ExecTest.text(again.stdout())).isEqualTo("one\ntwo\nthree\n");
    }
  }

  @Test
  void losing_the_link_kills_nothing_and_every_command_can_be_attached_again() throws Exception {
    GuestLink link = agent.link();
    Command lost =
        link.start(
            new CommandSpec(
                List.of("sh", "-c", "echo before; read x; echo $x"),
                Map.of(),
                "/",
                "root",
                true,
                Optional.empty(),
                Duration.ZERO,
                false));
    assertThat(lost.stdout().read()).isEqualTo('b');
    link.close();
    assertThatThrownBy(() -> ExecTest.exitOf(lost)).hasCauseInstanceOf(GuestLinkException.class);
    GuestLink second = agent.link();
    assertThat(second.processes())
        .singleElement()
        .satisfies(p -> assertThat(p.exit()).isEmpty())
        .satisfies(p -> assertThat(p.argv()).startsWith("sh", "-c"));
    try (Command found = second.attach(lost.processId())) {
      found.stdin().write("after\n".getBytes(UTF_8));
      assertThat(ExecTest.text(found.stdout())).isEqualTo("before\nafter\n");
      assertThat(ExecTest.exitOf(found).code()).isZero();
    }
  }

  @Test
  void a_command_that_ends_without_a_link_is_there_afterwards() throws Exception {
    GuestLink link = agent.link();
    Command lost = link.start(ExecTest.shell("sleep 0.2; echo done; exit 3"));
    link.close();
    GuestLink second = agent.link();
    awaitEnd(second, lost.processId());
    try (Command found = second.attach(lost.processId())) {
      assertThat(ExecTest.text(found.stdout())).isEqualTo("done\n");
      assertThat(ExecTest.exitOf(found).code()).isEqualTo(3);
    }
  }

  @Test
  void the_newest_connection_wins() throws Exception {
    GuestLink old = agent.link();
    GuestLink fresh = agent.link();
    old.closed().get(20, TimeUnit.SECONDS);
    assertThatThrownBy(old::processes).isInstanceOf(GuestLinkException.class);
    assertThat(fresh.processes()).isEmpty();
  }

  @Test
  void a_second_reader_takes_over_from_the_first() throws Exception {
    GuestLink link = agent.link();
    Command first = link.start(kept(true, "read x; echo $x"));
    try (Command second = link.attach(first.processId())) {
      assertThatThrownBy(() -> first.stdout().read()).hasMessageContaining("Another reader");
      second.stdin().write("hi\n".getBytes(UTF_8));
      assertThat(ExecTest.text(second.stdout())).isEqualTo("hi\n");
    }
  }

  @Test
  void only_the_newest_64_that_ended_are_kept() throws Exception {
    GuestLink link = agent.link();
    for (int i = 0; i < 80; i++) {
      try (Command command = link.start(kept(false, "echo " + i))) {
        ExecTest.exitOf(command);
      }
    }
    Await.until("sixteen are gone", () -> link.processes().size() == 64);
    long oldest = link.processes().getFirst().processId();
    try (Command command = link.attach(oldest)) {
      assertThat(ExecTest.text(command.stdout())).isEqualTo("16\n");
    }
  }

  @Test
  void a_listing_tells_what_runs_and_how_the_rest_ended() throws Exception {
    GuestLink link = agent.link();
    try (Command running = link.start(kept(false, "sleep 50"));
        Command ended = link.start(kept(false, "exit 2"))) {
      ExecTest.exitOf(ended);
      List<ProcessInfo> all = link.processes();
      assertThat(all)
          .extracting(ProcessInfo::processId)
          .containsExactly(running.processId(), ended.processId());
      assertThat(all.getFirst().user()).isEqualTo("root");
      assertThat(all.getFirst().pid()).isEqualTo(running.pid());
      assertThat(all.getFirst().startedAt())
          .isBetween(Instant.now().minusSeconds(60), Instant.now());
      assertThat(all.getLast().exit().orElseThrow().code()).isEqualTo(2);
      link.forget(running.processId());
      Await.until("it was killed", () -> !RunningAgent.isRunning(running.pid()));
    }
  }

  @Test
  void many_talkative_commands_that_nobody_reads_stay_within_64_mebibytes() throws Exception {
    GuestLink link = agent.link();
    for (int i = 0; i < 90; i++) {
      link.start(kept(false, "head -c 1100000 /dev/zero; head -c 1100000 /dev/zero >&2; sleep 100"))
          .close();
    }
    Await.until(
        "all of them have said it",
        () ->
            link.processes().stream().filter(p -> p.exit().isEmpty()).count() == 90
                && agent.children() == 90
                && agent.sleepers() == 90);
    assertThat(agent.residentKilobytes()).isLessThan(72 * 1024);
    link.processes().forEach(p -> link.forget(p.processId()));
  }
}
