/**
 * What happened, in the order in which it happened. Enter at {@link Events}.
 *
 * <p>Rows of the ledger come with the events that tell of them: triggers of its schema write both
 * in one transaction. Here they are only read, waited for and dropped when they are many or old.
 */
@NullMarked
package dev.cove.control.event;

import org.jspecify.annotations.NullMarked;
