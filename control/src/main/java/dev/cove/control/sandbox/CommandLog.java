package dev.cove.control.sandbox;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.Words;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

/**
 * Commands before which a checkpoint was taken, each with a number that stays its own. Safe for use
 * by many threads.
 */
public final class CommandLog {
  private static final int MOST_WORDS = 64;
  private static final int LONGEST_WORD = 1_024;
  private static final int MOST_KEPT = 1_000;

  private final Ledger ledger;
  private final Clock clock;

  public CommandLog(Ledger ledger, Clock clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  /**
   * A command.
   *
   * @param number from 1 on, in the order in which they were started
   * @param checkpoint the state before it
   */
  public record Recorded(
      int number, List<String> command, Instant startedAt, CheckpointId checkpoint) {
    public Recorded {
      command = List.copyOf(command);
    }
  }

  /** Long commands are cut; the oldest of very many go. */
  void record(SandboxId sandbox, List<String> command, CheckpointId checkpoint) {
    List<String> words = command.stream().limit(MOST_WORDS).map(CommandLog::cut).toList();
    long now = Micros.of(Micros.now(clock));
    ledger.writeAhead(session -> {
      session.run(
          """
          insert into recorded_command (sandbox_id, number, command, started_at, checkpoint_id)
          select ?, 1 + coalesce(max(number), 0), ?, ?, ? from recorded_command where sandbox_id = ?
          """,
          sandbox.value(),
          Words.encode(words),
          now,
          checkpoint.value(),
          sandbox.value());
      return session.run(
          """
          delete from recorded_command where sandbox_id = ? and number <=
            (select max(number) from recorded_command where sandbox_id = ?) - ?
          """,
          sandbox.value(),
          sandbox.value(),
          MOST_KEPT);
    });
  }

  private static String cut(String word) {
    return word.length() <= LONGEST_WORD ? word : word.substring(0, LONGEST_WORD) + "…";
  }

  /** The last so many, the oldest first. */
  List<Recorded> last(SandboxId sandbox, int limit) {
    return ledger
        .read(session ->
            session.query(
                """
                select number, command, started_at, checkpoint_id from recorded_command
                where sandbox_id = ? order by number desc limit ?
                """,
                CommandLog::recorded,
                sandbox.value(),
                limit))
        .reversed();
  }

  Recorded require(SandboxId sandbox, int number) {
    return ledger
        .read(session ->
            session.query(
                """
                select number, command, started_at, checkpoint_id from recorded_command
                where sandbox_id = ? and number = ?
                """,
                CommandLog::recorded,
                sandbox.value(),
                number))
        .stream()
        .findFirst()
        .orElseThrow(() ->
            new CoveException(
                ErrorCode.NOT_FOUND,
                "There is no command %d, or the checkpoint before it is gone; checkpoints are taken before commands where the rules say beforeExec."
                    .formatted(number)));
  }

  private static Recorded recorded(ResultSet row) throws SQLException {
    return new Recorded(
        row.getInt(1),
        Words.decode(row.getString(2)),
        Micros.toInstant(row.getLong(3)),
        new CheckpointId(row.getString(4)));
  }
}
