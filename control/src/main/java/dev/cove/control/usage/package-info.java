/**
 * What sandboxes have used: who has had what, in which hour. Enter at {@link
 * dev.cove.control.usage.Meters} to count and at {@link dev.cove.control.usage.Usage} to read.
 *
 * <p>Whatever is counted is added to in the transaction that notes up to where it was counted, so
 * no crash can lose it or count it twice. {@link dev.cove.control.usage.Account} is the arithmetic
 * of it, without clock, ledger or machine. Only the hour that something is put down under comes
 * from the wall clock.
 */
@NullMarked
package dev.cove.control.usage;

import org.jspecify.annotations.NullMarked;
