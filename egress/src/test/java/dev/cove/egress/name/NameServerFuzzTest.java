package dev.cove.egress.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.egress.limit.RateLimit;
import dev.cove.model.SandboxId;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.Verdict.Outcome;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class NameServerFuzzTest {
  private static final int ROUNDS = 50_000;

  @TempDir Path folder;

  @Test
  void no_packet_brings_more_than_an_answer_of_a_few_bytes() throws Exception {
    var nobody =
        new Resolver() {
          @Override
          public Resolution resolve(DomainName name) {
            throw new AssertionError("A denied name was looked up");
          }

          @Override
          public void close() {}
        };
    try (NameTable table = new NameTables(folder).open(SandboxId.random())) {
      var server =
          new NameServer(
              table,
              nobody,
              new RateLimit(1 << 30, 1 << 30),
              _ -> Outcome.DENIED,
              _ -> false,
              () -> {});
      var random = new Random(7);
      byte[] valid = query();
      for (int i = 0; i < ROUNDS; i++) {
        byte[] packet = i % 2 == 0 ? noise(random) : damaged(valid, random);
        Optional<byte[]> answer = server.answer(packet);
        if (answer.isPresent()) {
          assertThat(answer.get().length).isLessThanOrEqualTo(1_232);
          assertThat(answer.get()[0]).isEqualTo(packet[0]);
          assertThat(answer.get()[1]).isEqualTo(packet[1]);
          assertThat(answer.get()[2] & 0x80).isNotZero();
        }
      }
    }
  }

  private static byte[] query() throws Exception {
    Message query =
        Message.newQuery(Record.newRecord(Name.fromString("www.example.test."), Type.A, DClass.IN));
    query.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
    return query.toWire();
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(600)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] damaged(byte[] valid, Random random) {
    byte[] bytes =
        Arrays.copyOf(valid, random.nextInt(4) == 0 ? random.nextInt(valid.length) : valid.length);
    for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }
}
