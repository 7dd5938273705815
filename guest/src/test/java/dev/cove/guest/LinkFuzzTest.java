package dev.cove.guest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * Our end against an agent that sends whatever it likes. Every call must end, soon, with its result
 * or one of our own exceptions.
 */
class LinkFuzzTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  /** What the agent asks is answered or refused. */
  private static String checkpoint(String name) {
    if (name.isEmpty()) {
      throw new CoveException(ErrorCode.CONFLICT, "no");
    }
    return "c0123456789abcdefghi";
  }

  private interface Call {
    void run() throws IOException, InterruptedException, ExecutionException, TimeoutException;
  }

  @FuzzTest(maxDuration = "5m")
  void whatever_the_agent_sends_every_call_ends(byte[] data) throws Exception {
    assertEveryCallEnds(ByteBuffer.wrap(data));
  }

  /** Without an engine behind it the fuzz test above tries its stored inputs only. */
  @Test
  void a_hundred_random_conversations_end() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      byte[] data = new byte[random.nextInt(2000)];
      random.nextBytes(data);
      assertEveryCallEnds(ByteBuffer.wrap(data));
    }
  }

  private static void assertEveryCallEnds(ByteBuffer data) throws Exception {
    ScriptedChannel channel = new ScriptedChannel().say(ScriptedChannel.hello(2, 1));
    List<Throwable> unexpected = Collections.synchronizedList(new ArrayList<>());
    List<Thread> callers = new ArrayList<>();
    try (GuestLink link = GuestLink.open(channel, SOON, LinkFuzzTest::checkpoint)) {
      GuestFiles files = link.files("user");
      for (Call call : calls(link, files)) {
        callers.add(Thread.startVirtualThread(() -> run(call, unexpected)));
      }
      channel.awaitFrames(1 + callers.size());
      while (data.hasRemaining()) {
        channel.say(nextBytes(data));
      }
      channel.end();
      for (Thread caller : callers) {
        if (!caller.join(SOON)) {
          throw new AssertionError("A call did not end");
        }
      }
      link.closed().get(10, TimeUnit.SECONDS);
    }
    if (!unexpected.isEmpty()) {
      throw new AssertionError("A call failed in its own way", unexpected.getFirst());
    }
  }

  /**
   * Mostly frames that are cut well, for a channel that is open; now and then anything. The first
   * byte of a payload is often a stream's number, so small values are made likely.
   */
  private static byte[] nextBytes(ByteBuffer data) {
    int kind = data.get() & 0xff;
    int channel = next(data) % 15;
    int length = next(data) % 80;
    byte[] bytes = new byte[Math.min(data.remaining(), length)];
    data.get(bytes);
    if (kind < 16) {
      return bytes;
    }
    if (bytes.length > 0 && kind % 3 > 0) {
      bytes[0] = (byte) (kind % 3);
    }
    return ScriptedChannel.frame(kind % 16, kind % 16 == Frame.ASK ? 0 : channel, bytes);
  }

  private static int next(ByteBuffer data) {
    return data.hasRemaining() ? data.get() & 0xff : 0;
  }

  private static List<Call> calls(GuestLink link, GuestFiles files) {
    InputStream content = new ByteArrayInputStream(new byte[1000]);
    InputStream archive = new ByteArrayInputStream(new byte[1024]);
    return List.of(
        () -> use(link.start(CommandSpec.of("x"))),
        () -> use(link.attach(1)),
        link::processes,
        () -> link.signal(1, 9, true),
        () -> link.forget(1),
        link::metrics,
        () -> {
          try (TcpStream stream = link.connect(80)) {
            stream.output().write(new byte[10]);
            stream.input().readAllBytes();
          }
        },
        () -> {
          try (GuestFiles.FileContent file = files.read("/x", 0, -1)) {
            file.stream().readAllBytes();
          }
        },
        () -> files.write("/x", content, OptionalInt.empty(), true),
        () -> files.unpack("/x", archive, new GuestFiles.UnpackRules(true, 10, 10)),
        () -> {
          try (InputStream packed = files.pack("/x", new GuestFiles.PackRules(10))) {
            packed.readAllBytes();
          }
        },
        () -> files.list("/x", 2, 10),
        () -> files.stat("/x", true),
        () -> {
          try (GuestFiles.FileWatch watch = files.watch("/x", true)) {
            while (true) {
              watch.next(SOON);
            }
          }
        });
  }

  private static void use(Command command)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    try (command) {
      command.stdout().readAllBytes();
      command.stderr().readAllBytes();
      command.exit().get(10, TimeUnit.SECONDS);
    }
  }

  private static void run(Call call, List<Throwable> unexpected) {
    try {
      call.run();
    } catch (IOException | CoveException | ExecutionException e) {
      if (e.getCause() instanceof CompletionException || e.getCause() instanceof Error) {
        unexpected.add(e);
      }
    } catch (Throwable e) { // the finding that we are after
      unexpected.add(e);
    }
  }
}
