package dev.cove.control.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writer's process is killed at moments it cannot know; what it acknowledged must be there. */
class LedgerCrashTest {
  private static final int ROUNDS = 5;

  @TempDir Path folder;

  @Test
  void a_writer_killed_at_any_moment_leaves_every_acknowledged_change() throws Exception {
    var acknowledged = new HashSet<String>();
    var random = new Random(20_261_115);
    for (int round = 0; round < ROUNDS; round++) {
      acknowledged.addAll(killAfter(20 + random.nextInt(200), round));
      try (Ledger ledger = Ledger.open(file())) {
        Set<String> found = ids(ledger);
        assertThat(found).containsAll(acknowledged);
        assertThat(halves(ledger)).as("rows of which only one half was written").isZero();
      }
    }
  }

  /** Returns what the child said was durable before it was killed. */
  private Set<String> killAfter(int lines, int round) throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + folder, // the driver's library is left behind by a kill
                "-cp",
                System.getProperty("java.class.path"),
                Hammer.class.getName(),
                file().toString(),
                "round" + round)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    var said = new HashSet<String>();
    try (var out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said.add(line);
        if (said.size() == lines) {
          // Through the handle: Process.destroyForcibly would close the pipe that we still read.
          child.toHandle().destroyForcibly();
        }
      }
    } finally {
      child.destroyForcibly();
      assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(said).hasSizeGreaterThanOrEqualTo(lines);
    return said;
  }

  private static Set<String> ids(Ledger ledger) {
    return new HashSet<>(
        ledger.read(session -> session.query("select id from api_key", row -> row.getString(1))));
  }

  private static int halves(Ledger ledger) {
    return ledger.read(session ->
        session
            .query(
                """
                select count(*) from api_key k
                where not exists (select 1 from idempotency i where i.key = k.id)
                """,
                row -> row.getInt(1))
            .getFirst());
  }

  private Path file() {
    return folder.resolve("ledger.db");
  }

  /** Writes pairs of rows from several threads and prints each pair that is durable. */
  static final class Hammer {
    private Hammer() {}

    public static void main(String[] arguments) {
      Ledger ledger = Ledger.open(Path.of(arguments[0]));
      for (int worker = 0; worker < 8; worker++) {
        String prefix = arguments[1] + "-" + worker + "-";
        Thread.ofPlatform().start(() -> hammer(ledger, prefix));
      }
    }

    private static void hammer(Ledger ledger, String prefix) {
      for (int i = 0; i < 100_000; i++) {
        String id = prefix + i;
        ledger.write(session -> {
          session.run(
              """
              insert into api_key (id, name, hash, last4, created_at)
              values (?, 'n', x'00', 'abcd', 1)
              """,
              id);
          return session.run(
              """
              insert into idempotency (project, key, request_hash, sandbox_id, created_at)
              values ('default', ?, '', '', 1)
              """,
              id);
        });
        System.out.println(id);
      }
    }
  }
}
