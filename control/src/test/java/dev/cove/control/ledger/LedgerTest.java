package dev.cove.control.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final String INSERT = "insert into host (one, boot_id) values (1, ?)";
  private static final String INSERT_KEY =
      "insert into api_key (id, name, hash, last4, created_at) values (?, 'n', x'00', 'abcd', 1)";

  @TempDir Path folder;

  @Test
  void the_ledger_and_the_files_beside_it_can_be_read_by_their_owner_only() throws IOException {
    try (Ledger ledger = Ledger.open(file())) {
      ledger.write(session -> session.run(INSERT, "boot"));
      try (var files = Files.list(folder)) {
        assertThat(files.toList())
            .hasSize(3)
            .allSatisfy(path ->
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------"));
      }
    }
  }

  @Test
  void what_was_written_is_there_after_reopening() {
    try (Ledger ledger = Ledger.open(file())) {
      ledger.write(session -> session.run(INSERT, "boot"));
    }
    try (Ledger ledger = Ledger.open(file())) {
      assertThat(bootIds(ledger)).containsExactly("boot");
    }
  }

  @Test
  void changes_that_wait_while_another_is_written_share_one_flush() throws Exception {
    try (Ledger ledger = Ledger.open(file());
        var blocked = new BlockedWriter(ledger)) {
      var waiting = new ArrayList<CompletableFuture<Integer>>();
      for (int i = 0; i < 200; i++) {
        String id = "k" + i;
        waiting.add(ledger.writeLater(session -> session.run(INSERT_KEY, id)));
      }
      long before = Files.size(wal());
      blocked.release();
      CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);

      // A commit writes each page it touched once more; 200 commits would be 200 pages and more.
      long pages = (Files.size(wal()) - before) / 4096;
      assertThat(pages).isBetween(1L, 40L);
      assertThat(keys(ledger)).isEqualTo(200);
    }
  }

  @Test
  void a_change_that_throws_is_undone_alone() throws Exception {
    try (Ledger ledger = Ledger.open(file());
        var blocked = new BlockedWriter(ledger)) {
      var good = ledger.writeLater(session -> session.run(INSERT_KEY, "good"));
      var bad =
          ledger.writeLater(session -> {
            session.run(INSERT_KEY, "bad");
            throw new CoveException(ErrorCode.CONFLICT, "no");
          });
      var brokenRule = ledger.writeLater(session -> session.run(INSERT_KEY, "good"));
      var last = ledger.writeLater(session -> session.run(INSERT_KEY, "last"));
      blocked.release();

      good.get(10, TimeUnit.SECONDS);
      last.get(10, TimeUnit.SECONDS);
      assertThat(bad)
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .withMessage("dev.cove.model.CoveException: no");
      assertThat(brokenRule).failsWithin(Duration.ofSeconds(10));
      assertThat(keys(ledger)).isEqualTo(2);
    }
  }

  @Test
  void a_queue_that_is_full_refuses_rather_than_grows() throws Exception {
    try (Ledger ledger = Ledger.open(file());
        var blocked = new BlockedWriter(ledger)) {
      for (int i = 0; i < LedgerWriter.MAX_QUEUED; i++) {
        assertThat(ledger.writeLater(session -> session.run(INSERT, "x"))).isNotDone();
      }
      assertUnavailable(() -> ledger.write(session -> session.run(INSERT, "x")));
      blocked.release();
    }
  }

  @Test
  void a_change_whose_caller_gave_up_never_happens() throws Exception {
    try (Ledger ledger = Ledger.open(file(), SHORT);
        var blocked = new BlockedWriter(ledger)) {
      assertUnavailable(() -> ledger.write(session -> session.run(INSERT_KEY, "late")));
      blocked.release();
      ledger.write(session -> session.run(INSERT_KEY, "after"));
      assertThat(keys(ledger)).isEqualTo(1);
    }
  }

  @Test
  void a_ledger_locked_by_another_program_is_unavailable_and_recovers_alone() throws Exception {
    try (Ledger ledger = Ledger.open(file(), SHORT)) {
      try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
          var statement = other.createStatement()) {
        statement.execute("begin immediate");
        assertUnavailable(() -> ledger.write(session -> session.run(INSERT, "x")));
        assertThat(bootIds(ledger)).isEmpty();
        statement.execute("rollback");
      }
      ledger.write(session -> session.run(INSERT, "boot"));
      assertThat(bootIds(ledger)).containsExactly("boot");
    }
  }

  @Test
  void a_full_disk_is_unavailable_and_recovers_alone() {
    try (Ledger ledger = Ledger.open(file())) {
      // SQLite answers SQLITE_FULL at this limit just as it does when the disk has no block left.
      ledger.write(
          session -> session.query("pragma max_page_count = 1", row -> row.getInt(1)).getFirst());
      assertUnavailable(() -> fillOnePage(ledger)).hasMessageContaining("disk is full");
      fillOnePage(ledger);
    }
  }

  @Test
  void a_ledger_that_may_only_be_read_is_unavailable_and_recovers_alone() {
    try (Ledger ledger = Ledger.open(file())) {
      // SQLite then answers SQLITE_READONLY, as it does on a file system mounted read-only.
      ledger.write(session -> session.run("pragma query_only = true"));
      assertUnavailable(() -> ledger.write(session -> session.run(INSERT, "x")))
          .hasMessageContaining("cannot be written");
      ledger.write(session -> session.run(INSERT, "boot"));
      assertThat(bootIds(ledger)).containsExactly("boot");
    }
  }

  @Test
  void a_ledger_whose_file_was_removed_takes_no_more_writes() throws IOException {
    try (Ledger ledger = Ledger.open(file())) {
      Files.delete(file());
      assertThatThrownBy(() -> ledger.write(session -> session.run(INSERT, "x")))
          .hasMessageContaining("is gone");
      Files.createFile(file());
      assertThatThrownBy(() -> ledger.write(session -> session.run(INSERT, "x")))
          .hasMessageContaining("replaced");
    }
  }

  @Test
  void a_damaged_ledger_is_refused_and_left_as_it_is() throws IOException {
    try (Ledger ledger = Ledger.open(file())) {
      ledger.write(session -> session.run(INSERT, "boot"));
    }
    byte[] bytes = Files.readAllBytes(file());
    for (int i = 4096; i < bytes.length; i += 7) {
      bytes[i] ^= 0x5a;
    }
    Files.write(file(), bytes);
    assertThatThrownBy(() -> Ledger.open(file()))
        .isInstanceOf(LedgerUnusableException.class)
        .hasMessageContaining(file().toString())
        .hasMessageContaining("damaged")
        .hasMessageContaining(".recover");
    assertThat(Files.readAllBytes(file())).isEqualTo(bytes);
  }

  @Test
  void a_file_that_is_no_database_is_refused_and_left_as_it_is() throws IOException {
    String text = "Dear diary, ".repeat(1_000);
    Files.writeString(file(), text);
    assertThatThrownBy(() -> Ledger.open(file())).isInstanceOf(LedgerUnusableException.class);
    assertThat(Files.readString(file())).isEqualTo(text);
  }

  @Test
  void the_database_of_another_program_is_refused() throws SQLException {
    external("create table theirs (id text)");
    assertThatThrownBy(() -> Ledger.open(file()))
        .isInstanceOf(LedgerUnusableException.class)
        .hasMessageContaining("another program");
  }

  @Test
  void a_ledger_of_a_newer_version_is_refused() throws SQLException {
    Ledger.open(file()).close();
    external("pragma user_version = " + (Migrations.newest() + 1));
    assertThatThrownBy(() -> Ledger.open(file()))
        .isInstanceOf(LedgerUnusableException.class)
        .hasMessageContaining("newer Cove");
  }

  @Test
  void a_migration_that_was_cut_off_starts_anew() throws SQLException {
    external("create table sandbox (id text); drop table sandbox");
    try (Ledger ledger = Ledger.open(file())) {
      ledger.write(session -> session.run(INSERT, "boot"));
    }
  }

  @Test
  void many_threads_write_and_read_at_once() throws Exception {
    try (Ledger ledger = Ledger.open(file());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var done = new ArrayList<CompletableFuture<Void>>();
      for (int i = 0; i < 300; i++) {
        String id = "k" + i;
        done.add(
            CompletableFuture.runAsync(
                () -> {
                  ledger.write(session -> session.run(INSERT_KEY, id));
                  assertThat(find(ledger, id)).containsExactly(id);
                },
                threads));
      }
      CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      assertThat(keys(ledger)).isEqualTo(300);
    }
  }

  private static void fillOnePage(Ledger ledger) {
    ledger.write(session -> session.run(INSERT_KEY, "x".repeat(100_000)));
  }

  private static AbstractThrowableAssert<?, ?> assertUnavailable(Runnable call) {
    return assertThatThrownBy(call::run)
        .satisfies(fault ->
            assertThat(fault)
                .asInstanceOf(type(CoveException.class))
                .returns(ErrorCode.UNAVAILABLE, CoveException::code));
  }

  private static List<String> find(Ledger ledger, String id) {
    return ledger.read(session ->
        session.query("select id from api_key where id = ?", row -> row.getString(1), id));
  }

  private static List<String> bootIds(Ledger ledger) {
    return ledger.read(
        session -> session.query("select boot_id from host", row -> row.getString(1)));
  }

  private static int keys(Ledger ledger) {
    return ledger.read(
        session -> session.query("select count(*) from api_key", row -> row.getInt(1)).getFirst());
  }

  private void external(String sql) throws SQLException {
    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
        var statement = other.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private Path file() {
    return folder.resolve("ledger.db");
  }

  private Path wal() {
    return folder.resolve("ledger.db-wal");
  }

  /** Keeps the writer busy with one change until it is released. */
  private static final class BlockedWriter implements AutoCloseable {
    private final CountDownLatch latch = new CountDownLatch(1);

    BlockedWriter(Ledger ledger) throws InterruptedException {
      var busy = new CountDownLatch(1);
      var _ =
          ledger.writeLater(_ -> {
            busy.countDown();
            return awaitRelease();
          });
      assertThat(busy.await(10, TimeUnit.SECONDS)).isTrue();
    }

    private boolean awaitRelease() {
      try {
        return latch.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    void release() {
      latch.countDown();
    }

    @Override
    public void close() {
      release();
    }
  }
}
