package dev.cove.control.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection, with its statements kept prepared. Used by one thread at a time.
 *
 * <p>Values are only ever bound, never written into the statement's text.
 */
public final class Session implements AutoCloseable {
  /** Statements are constants of the program; more than this many means that one is not. */
  private static final int MAX_STATEMENTS = 256;

  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  Session(Connection connection) {
    this.connection = connection;
  }

  /** Runs a statement that changes rows and says how many it changed. */
  public int run(String sql, @Nullable Object... values) throws SQLException {
    return bind(sql, values).executeUpdate();
  }

  public <T> List<T> query(String sql, Row<T> row, @Nullable Object... values) throws SQLException {
    try (ResultSet found = bind(sql, values).executeQuery()) {
      var rows = new ArrayList<T>();
      while (found.next()) {
        rows.add(row.read(found));
      }
      return rows;
    }
  }

  /** Runs a script of the program itself: pragmas, transaction control, migrations. */
  void script(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private PreparedStatement bind(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      if (prepared.size() == MAX_STATEMENTS) {
        throw new IllegalStateException("A statement is built from values: " + sql);
      }
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  /** Reads the row that a result stands at. */
  @FunctionalInterface
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }
}
