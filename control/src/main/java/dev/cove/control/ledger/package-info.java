/**
 * The ledger: a SQLite file that says what must be true. Enter at {@link Ledger}.
 *
 * <p>All writes go through one thread, which gathers what waits into one transaction, so that many
 * callers share one flush to disk. What the rows mean is known next door, in {@code sandbox} and
 * {@code key}; here are only transactions, faults, the schema's versions, and how columns and rows
 * that several tables have are read.
 */
@NullMarked
package dev.cove.control.ledger;

import org.jspecify.annotations.NullMarked;
