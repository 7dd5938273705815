package dev.cove.control.ledger;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The file that a ledger lives in: how it is opened, and what its faults are called. */
final class LedgerFile {
  private static final long MAX_WAL_BYTES = 16L * 1024 * 1024;

  private final Path path;
  private final Duration patience;
  private final Object identity;

  private LedgerFile(Path path, Duration patience, Object identity) {
    this.path = path;
    this.patience = patience;
    this.identity = identity;
  }

  /**
   * Makes the file if there is none, checks it and brings it to the newest schema.
   *
   * @param patience how long to wait for another program that holds the file's lock
   */
  static LedgerFile prepare(Path path, Duration patience) {
    try {
      create(path);
      var file = new LedgerFile(path, patience, identityOf(path));
      try (Session session = file.connect()) {
        file.check(session);
        Migrations.apply(session);
      }
      return file;
    } catch (LedgerUnusableException e) {
      throw new LedgerUnusableException(
          "Cannot use the ledger %s: %s.".formatted(path, e.getMessage()), e);
    } catch (SQLException e) {
      throw refusal(path, e);
    } catch (IOException e) {
      throw new LedgerUnusableException("Cannot make the ledger %s: %s.".formatted(path, e), e);
    }
  }

  Session connect() throws SQLException {
    var config = new SQLiteConfig();
    config.setBusyTimeout(Math.toIntExact(patience.toMillis()));
    config.enforceForeignKeys(true);
    var session = new Session(config.createConnection("jdbc:sqlite:" + path));
    // FULL: a commit that was acknowledged survives a loss of power, not only of the process.
    session.script(
        "pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = "
            + MAX_WAL_BYTES);
    return session;
  }

  /** SQLite goes on writing to a file that was removed, and what it writes would be lost. */
  void requireInPlace() {
    try {
      if (identityOf(path).equals(identity)) {
        return;
      }
    } catch (IOException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE,
          "The ledger's file is gone; put it back and restart the server.",
          e);
    }
    throw new CoveException(
        ErrorCode.UNAVAILABLE,
        "The ledger's file was replaced under the running server; restart it.");
  }

  /** Says in a sentence why a statement failed. */
  static CoveException unavailable(SQLException e) {
    String why =
        switch (primaryCode(e)) {
          case SQLITE_BUSY, SQLITE_LOCKED ->
              "another program holds its lock; the request may be repeated";
          case SQLITE_FULL -> "the disk is full; free some space and repeat the request";
          case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN ->
              "its file cannot be written; check the file system and its rights";
          case SQLITE_IOERR -> "reading or writing its file failed; check the disk";
          case SQLITE_CORRUPT, SQLITE_NOTADB ->
              "its file is damaged; stop the server and run cove restore-backup FILE --replace";
          default -> "SQLite refused the change";
        };
    return new CoveException(ErrorCode.UNAVAILABLE, "The ledger cannot be used: " + why + ".", e);
  }

  /**
   * Throws what still keeps the ledger from being used after a fault: it must be whole, and take
   * bytes.
   */
  void probe(Session session) throws SQLException {
    List<String> verdict = session.query("pragma quick_check(1)", row -> row.getString(1));
    if (!verdict.equals(List.of("ok"))) {
      throw new SQLiteException("quick_check", SQLiteErrorCode.SQLITE_CORRUPT);
    }
    int version = session.query("pragma user_version", row -> row.getInt(1)).getFirst();
    session.script("pragma user_version = " + version); // written, though it is the same
  }

  /** A constraint of the schema was broken: only that change is wrong, the ledger is well. */
  static boolean isRuleBroken(SQLException e) {
    return primaryCode(e) == SQLiteErrorCode.SQLITE_CONSTRAINT;
  }

  private void check(Session session) throws SQLException {
    String verdict = session.query("pragma quick_check(1)", row -> row.getString(1)).getFirst();
    if (!verdict.equals("ok")) {
      throw new LedgerUnusableException(
          "it is damaged (%s). %s".formatted(verdict, HOW_TO_RESTORE));
    }
  }

  private static final String HOW_TO_RESTORE =
      "Nothing was changed. Restore a backup with cove restore-backup FILE --replace, or save what"
          + " is readable with: sqlite3 ledger.db .recover | sqlite3 recovered.db";

  private static LedgerUnusableException refusal(Path path, SQLException e) {
    String why =
        switch (primaryCode(e)) {
          case SQLITE_CORRUPT, SQLITE_NOTADB -> "it is damaged. " + HOW_TO_RESTORE;
          case SQLITE_BUSY -> "another program holds its lock";
          default -> e.getMessage();
        };
    return new LedgerUnusableException("Cannot use the ledger %s: %s.".formatted(path, why), e);
  }

  private static SQLiteErrorCode primaryCode(SQLException e) {
    if (e instanceof SQLiteException fault) {
      return SQLiteErrorCode.getErrorCode(fault.getResultCode().code & 0xff);
    }
    return SQLiteErrorCode.UNKNOWN_ERROR;
  }

  /** Before SQLite does, so that the file and those that SQLite puts beside it are private. */
  private static void create(Path path) throws IOException {
    try {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException _) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }
  }

  private static Object identityOf(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return key == null ? path : key;
  }
}
