package dev.cove.control.ledger;

import java.sql.SQLException;

/**
 * Work inside one transaction. It may be run beside others in the same transaction and must do
 * nothing but talk to the session; when it throws, nothing of it remains.
 */
@FunctionalInterface
public interface Change<T> {
  T apply(Session session) throws SQLException;
}
