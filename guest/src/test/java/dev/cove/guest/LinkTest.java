package dev.cove.guest;

import static dev.cove.guest.ScriptedChannel.frame;
import static dev.cove.guest.ScriptedChannel.hello;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class LinkTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final byte[] PROCESS_REPLY =
      new Payload().u64(1).u32(2).u8(0).u64(0).u64(0).toBytes();

  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private static GuestLink open(ScriptedChannel channel) {
    return open(channel, InsideRequests.NONE);
  }

  private static GuestLink open(ScriptedChannel channel, InsideRequests inside) {
    return GuestLink.open(channel, SOON, inside);
  }

  private static byte[] ask(int number, String name) {
    return frame(
        Frame.ASK, 0, new Payload().u32(number).u8(Frame.ASK_CHECKPOINT).text(name).toBytes());
  }

  private static void assertBreaks(byte[]... frames) throws Exception {
    ScriptedChannel channel = new ScriptedChannel().say(hello(1, 1));
    try (GuestLink link = open(channel)) {
      CompletableFuture<Command> started =
          CompletableFuture.supplyAsync(() -> link.start(CommandSpec.of("x")));
      channel.awaitFrames(2);
      channel.say(frame(Frame.REPLY, 1, PROCESS_REPLY));
      Command command = started.get(10, TimeUnit.SECONDS);
      for (byte[] frame : frames) {
        channel.say(frame);
      }
      link.closed().get(10, TimeUnit.SECONDS);
      assertThatThrownBy(() -> command.exit().get(10, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(GuestLinkException.class)
          .hasMessageContaining("broke the protocol");
      assertThatThrownBy(link::metrics).isInstanceOf(GuestLinkException.class);
      assertThatThrownBy(() -> command.stderr().read()).isInstanceOf(IOException.class);
    }
  }

  @Test
  void an_exit_that_crosses_our_close_on_the_way_does_no_harm() throws Exception {
    ScriptedChannel channel = new ScriptedChannel().say(hello(1, 1));
    try (GuestLink link = open(channel)) {
      CompletableFuture<Command> started =
          CompletableFuture.supplyAsync(() -> link.start(CommandSpec.of("x")));
      channel.awaitFrames(2);
      channel.say(frame(Frame.REPLY, 1, PROCESS_REPLY));
      started.get(10, TimeUnit.SECONDS).close();
      channel.say(frame(Frame.EXIT, 1, new Payload().u32(0).u32(0).u8(0).u64(1).toBytes()));
      channel.say(frame(Frame.CLOSE, 1, new byte[0]));
      CompletableFuture<Command> next =
          CompletableFuture.supplyAsync(() -> link.start(CommandSpec.of("y")));
      channel.awaitOpen(2);
      channel.say(frame(Frame.REPLY, 2, PROCESS_REPLY));

      assertThat(next.get(10, TimeUnit.SECONDS).pid()).isEqualTo(2);
      assertThat(link.closed()).isNotDone();
    }
  }

  @Test
  void an_agent_that_does_not_greet_is_given_up() {
    assertThatThrownBy(
            () -> GuestLink.open(new ScriptedChannel(), Duration.ofMillis(50), InsideRequests.NONE))
        .isInstanceOf(GuestLinkException.class)
        .hasMessageContaining("did not greet");
  }

  @Test
  void an_agent_of_another_protocol_is_refused_with_its_versions() {
    assertThatThrownBy(() -> open(new ScriptedChannel().say(hello(9, 7))))
        .hasMessageContaining("versions 7 to 9");
    assertThatThrownBy(() -> open(new ScriptedChannel().say(hello(0, 0))))
        .isInstanceOf(GuestLinkException.class);
  }

  @Test
  void a_newer_agent_that_still_understands_us_is_taken() {
    open(new ScriptedChannel().say(hello(9, 1))).close();
  }

  @Test
  void anything_but_a_greeting_first_breaks_the_link() {
    for (byte[] first :
        List.of(
            frame(Frame.REPLY, 1, new byte[0]),
            frame(Frame.HELLO, 1, new byte[20]),
            frame(Frame.HELLO, 0, new byte[3]),
            new byte[] {-1, -1, -1, -1, 1, 0, 0, 0, 0})) {
      assertThatThrownBy(() -> open(new ScriptedChannel().say(first)))
          .isInstanceOf(GuestLinkException.class);
    }
  }

  @Test
  void frames_that_make_no_sense_break_the_link_for_all_callers() throws Exception {
    assertBreaks(frame(Frame.DATA, 77, new byte[] {1, 2}));
    assertBreaks(frame(42, 1, new byte[0]));
    assertBreaks(frame(Frame.OPEN, 1, new byte[9]));
    assertBreaks(frame(Frame.DATA, 1, new byte[0]));
    assertBreaks(frame(Frame.DATA, 1, new byte[] {9, 1}));
    assertBreaks(frame(Frame.END, 1, new byte[] {1}), frame(Frame.END, 1, new byte[] {1}));
    assertBreaks(frame(Frame.END, 1, new byte[] {1}), frame(Frame.DATA, 1, new byte[] {1, 1}));
    assertBreaks(frame(Frame.CREDIT, 1, new byte[] {0, -1, -1, -1, -1}));
    assertBreaks(frame(Frame.CREDIT, 1, new byte[] {1, 1, 0, 0, 0}));
    assertBreaks(frame(Frame.EXIT, 1, new byte[3]));
    assertBreaks(frame(Frame.FAIL, 1, new byte[] {1, 0, 0, 0, -1, -1, -1, 127, 0}));
    assertBreaks(new byte[] {1, -128, 0, 0, 6, 1, 0, 0, 0});
  }

  @Test
  void a_command_that_ends_twice_breaks_the_link_and_keeps_its_first_exit() throws Exception {
    ScriptedChannel channel = new ScriptedChannel().say(hello(1, 1));
    try (GuestLink link = open(channel)) {
      CompletableFuture<Command> started =
          CompletableFuture.supplyAsync(() -> link.start(CommandSpec.of("x")));
      channel.awaitFrames(2);
      channel.say(frame(Frame.REPLY, 1, PROCESS_REPLY));
      Command command = started.get(10, TimeUnit.SECONDS);
      byte[] exit = new Payload().u32(3).u32(0).u8(0).u64(5).toBytes();
      channel.say(frame(Frame.EXIT, 1, exit)).say(frame(Frame.EXIT, 1, exit));
      link.closed().get(10, TimeUnit.SECONDS);
      assertThat(command.exit().get(10, TimeUnit.SECONDS).code()).isEqualTo(3);
    }
  }

  @Test
  void data_beyond_the_credit_breaks_the_link_before_it_takes_memory() throws Exception {
    byte[][] flood = new byte[FlowInput.WINDOW / 32_000 + 2][];
    byte[] payload = new byte[32_000];
    payload[0] = 1;
    Arrays.fill(flood, frame(Frame.DATA, 1, payload));
    assertBreaks(flood);
  }

  @Test
  void a_message_from_inside_cannot_play_with_a_terminal() throws Exception {
    byte[] fail = new Payload().u32(2).text("bad \u001b[2J\n" + "x".repeat(5000)).toBytes();
    ScriptedChannel late = new ScriptedChannel().say(hello(1, 1));
    try (GuestLink link = open(late)) {
      CompletableFuture<FileInfo> stat =
          CompletableFuture.supplyAsync(() -> link.files("u").stat("/x", true));
      late.awaitFrames(2);
      late.say(frame(Frame.FAIL, 1, fail));
      assertThatThrownBy(() -> stat.get(10, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(GuestException.class)
          .satisfies(e -> {
            assertThat(((GuestException) e).code()).isEqualTo(ErrorCode.NOT_FOUND);
            assertThat(e.getMessage()).startsWith("bad ?[2J?").hasSizeLessThan(1001);
          });
    }
  }

  @Test
  void who_waits_for_an_answer_has_an_agent_go_on_that_stood_still_meanwhile() throws Exception {
    ScriptedChannel late = new ScriptedChannel().say(hello(1, 1));
    try (GuestLink link = open(late)) {
      CompletableFuture<Void> removal =
          CompletableFuture.runAsync(() -> link.files("u").remove("/x", true));
      late.awaitFrames(2);
      CountDownLatch wanted = new CountDownLatch(2); // the first may come before it stands still
      link.rest(wanted::countDown);
      assertThat(wanted.await(10, TimeUnit.SECONDS)).isTrue();
      link.rouse();
      late.say(frame(Frame.CLOSE, 1, new byte[0]));
      removal.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void an_interrupted_caller_leaves_the_link_to_the_others() throws Exception {
    GuestLink link = agent.link();
    for (int i = 0; i < 50; i++) {
      Thread caller =
          Thread.startVirtualThread(() -> {
            try (Command command = link.start(ExecTest.shell("sleep 50"))) {
              command.stdout().read();
            } catch (IOException | GuestLinkException e) {
              // interrupted
            }
          });
      if (i % 2 == 0) {
        Await.until(
            "the caller waits",
            () ->
                caller.getState() == Thread.State.WAITING
                    || caller.getState() == Thread.State.TIMED_WAITING);
      }
      caller.interrupt();
      assertThat(caller.join(SOON)).isTrue();
    }
    assertThat(link.files("root").stat("/", true).type()).isEqualTo(FileInfo.Type.FOLDER);
    Await.until("their commands are gone", () -> link.processes().isEmpty());
  }

  @Test
  void a_caller_that_is_interrupted_already_is_told_so() throws Exception {
    GuestLink link = agent.link();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> link.start(ExecTest.shell("sleep 50")))
        .isInstanceOf(GuestLinkException.class)
        .hasMessageContaining("Interrupted");
    assertThat(Thread.interrupted()).isTrue();
    Await.until("nothing runs", () -> link.processes().isEmpty());
  }

  @Test
  void many_callers_share_one_link() throws Exception {
    GuestLink link = agent.link();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 40; i++) {
      String word = "word" + i;
      threads.add(
          Thread.startVirtualThread(() -> {
            try (Command command = link.start(CommandSpec.of("/bin/echo", word))) {
              assertThat(ExecTest.text(command.stdout())).isEqualTo(word + "\n");
              assertThat(ExecTest.exitOf(command).code()).isZero();
            } catch (Exception | AssertionError e) {
              failures.add(e);
            }
          }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void killing_the_agent_ends_every_call() throws Exception {
    GuestLink link = agent.link();
    Command command = link.start(ExecTest.shell("sleep 50"));
    int pid = command.pid();
    new ProcessBuilder("kill", "-9", String.valueOf(agent.pid())).start().waitFor();
    link.closed().get(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> command.stdout().read()).isInstanceOf(IOException.class);
    assertThatThrownBy(link::processes)
        .isInstanceOf(GuestLinkException.class)
        .extracting(e -> ((GuestLinkException) e).code())
        .isEqualTo(ErrorCode.GUEST_UNREACHABLE);
    new ProcessBuilder("kill", "-9", "--", "-" + pid).start().waitFor();
  }

  @Test
  void what_is_asked_from_inside_is_answered_one_at_a_time() throws Exception {
    ScriptedChannel channel = new ScriptedChannel().say(hello(2, 1)).say(ask(7, "mine"));
    try (GuestLink link = open(channel, name -> "id of " + name)) {
      assertThat(channel.awaitAnswer(1)).isEqualTo("7 0 id of mine");
      channel.say(ask(8, "next"));
      assertThat(channel.awaitAnswer(2)).isEqualTo("8 0 id of next");
      assertThat(link.closed()).isNotDone();
    }
  }

  @Test
  void refusals_come_slowly_enough_to_cost_us_nothing() throws Exception {
    ScriptedChannel channel = new ScriptedChannel().say(hello(2, 1));
    try (GuestLink link = open(channel)) {
      long begin = System.nanoTime();
      for (int i = 1; i <= 3; i++) {
        channel.say(ask(i, ""));
        assertThat(channel.awaitAnswer(i)).startsWith(i + " 1 Nobody keeps checkpoints");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(600));
      assertThat(link.closed()).isNotDone();
    }
  }

  @Test
  void an_agent_that_asks_out_of_turn_loses_its_link() throws Exception {
    var answer = new CompletableFuture<String>();
    for (byte[][] wrong :
        List.of(
            new byte[][] {ask(1, "a"), ask(2, "b")},
            new byte[][] {frame(Frame.ASK, 0, new byte[3])},
            new byte[][] {frame(Frame.ASK, 5, new byte[0])},
            new byte[][] {frame(Frame.ANSWER, 0, new byte[0])})) {
      ScriptedChannel channel = new ScriptedChannel().say(hello(2, 1));
      try (GuestLink link = open(channel, _ -> answer.join())) {
        for (byte[] frame : wrong) {
          channel.say(frame);
        }
        link.closed().get(10, TimeUnit.SECONDS);
      }
    }
    answer.complete("too late");
    ScriptedChannel old = new ScriptedChannel().say(hello(1, 1)).say(ask(1, "a"));
    try (GuestLink link = open(old)) {
      link.closed().get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void the_agent_says_which_build_it_is() throws Exception {
    assertThat(agent.link().agentBuild()).startsWith("cove-agent ");
    assertThat(AgentBinary.forThisMachine().sha256()).matches("[0-9a-f]{64}");
  }

  @Test
  void the_agent_is_small_where_it_is_built_as_meant() {
    Assumptions.assumeTrue(
        Files.exists(Path.of("/usr/bin/musl-gcc")), "built with another library");
    assertThat(AgentBinary.forThisMachine().bytes().length).isLessThan(124_000);
  }
}
