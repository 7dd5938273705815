package dev.cove.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The agent against a host that talks nonsense. In an empty root, because some of the nonsense will
 * mean something.
 */
@Timeout(120)
class GarbageTest {
  @RegisterExtension final RunningAgent agent = RunningAgent.inAnEmptyRoot();

  private static byte[] frame(int type, int channel, byte[] payload, int statedLength) {
    return new Payload()
        .u32(statedLength)
        .u8(type)
        .u32(channel)
        .raw(payload, 0, payload.length)
        .toBytes();
  }

  private static byte[] hello() {
    byte[] payload = new Payload().u32(Frame.MAGIC).u16(1).u16(1).text("test").toBytes();
    return frame(Frame.HELLO, 0, payload, payload.length);
  }

  private void send(byte[]... parts) throws IOException {
    try (SocketChannel socket = agent.connect()) {
      for (byte[] part : parts) {
        ByteBuffer buffer = ByteBuffer.wrap(part);
        while (buffer.hasRemaining()) {
          socket.write(buffer);
        }
      }
    } catch (IOException e) {
      // The agent closed on us, as it should.
    }
  }

  private void assertServes() throws Exception {
    GuestLink link = agent.link();
    assertThat(link.files("root").stat("/", true).type()).isEqualTo(FileInfo.Type.FOLDER);
    link.close();
    assertThat(agent.isAlive()).isTrue();
  }

  @Test
  void random_bytes_cost_the_link_only() throws Exception {
    for (int seed = 0; seed < 200; seed++) {
      byte[] garbage = new byte[new Random(seed).nextInt(5000) + 1];
      new Random(seed).nextBytes(garbage);
      send(garbage);
      send(hello(), garbage);
    }
    assertServes();
  }

  @Test
  void well_cut_frames_with_random_content_cost_the_link_at_most() throws Exception {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      byte[][] parts = new byte[random.nextInt(60) + 2][];
      parts[0] = hello();
      for (int i = 1; i < parts.length; i++) {
        parts[i] = randomFrame(random);
      }
      send(parts);
    }
    assertServes();
  }

  private static byte[] randomFrame(Random random) {
    int channel = random.nextInt(6);
    int type = random.nextInt(16);
    byte[] payload = new byte[random.nextInt(64)];
    random.nextBytes(payload);
    if (type == Frame.OPEN || random.nextInt(3) == 0) {
      type = Frame.OPEN;
      payload = randomOpen(random);
    } else if (payload.length > 0) {
      payload[0] = (byte) random.nextInt(3);
    }
    int stated = random.nextInt(50) == 0 ? random.nextInt() : payload.length;
    return frame(type, channel, payload, stated);
  }

  /** An operation whose arguments are nearly right, so that it gets far. */
  private static byte[] randomOpen(Random random) {
    int[] ops = {1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 99};
    int op = ops[random.nextInt(ops.length)];
    Payload args = new Payload();
    if (op == 1) {
      args.u8(random.nextInt(8)).u16(24).u16(80).u64(random.nextInt(100)).text("root").text("/");
      args.u32(random.nextInt(20) == 0 ? random.nextInt() : 1).text("/cove-agent").u32(0);
    } else if (op < 16) {
      args.u64(random.nextInt(5)).u32(random.nextInt(70)).u8(1);
    } else {
      String name = random.nextBoolean() ? "/work" : "/work/" + random.nextInt(5);
      args.text(random.nextBoolean() ? "root" : "user").text(name);
      if (op == 21 || op == 24) {
        args.text("/work/" + random.nextInt(5));
      }
      for (int i = random.nextInt(18); i > 0; i--) {
        args.u8(random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(2));
      }
    }
    byte[] bytes = args.toBytes();
    if (random.nextInt(4) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    int total = random.nextInt(10) == 0 ? random.nextInt() : bytes.length;
    int window = random.nextInt(10) == 0 ? random.nextInt() : random.nextInt(100_000);
    return new Payload().u8(op).u32(window).u32(total).raw(bytes, 0, bytes.length).toBytes();
  }

  @Test
  void a_frame_that_claims_to_be_huge_is_not_waited_for() throws Exception {
    try (SocketChannel socket = agent.connect()) {
      socket.write(ByteBuffer.wrap(hello()));
      socket.write(ByteBuffer.wrap(frame(Frame.OPEN, 1, new byte[0], 1 << 30)));
      ByteBuffer answer = ByteBuffer.allocate(4096);
      while (socket.read(answer) >= 0) {
        answer.clear();
      }
    }
    assertServes();
  }

  @Test
  void a_host_that_asks_and_never_listens_is_dropped_or_held_back() throws Exception {
    try (SocketChannel socket = agent.connect()) {
      socket.configureBlocking(false);
      socket.write(ByteBuffer.wrap(hello()));
      byte[] open = new Payload().u8(99).u32(0).u32(0).toBytes();
      int id = 1;
      int refused = 0;
      while (refused < 1000 && id < 500_000) {
        if (socket.write(ByteBuffer.wrap(frame(Frame.OPEN, id++, open, open.length))) == 0) {
          refused++;
          Thread.onSpinWait();
        }
      }
      assertThat(agent.residentKilobytes()).isLessThan(12 * 1024);
    } catch (IOException e) {
      // dropped: as good
    }
    assertServes();
  }
}
