/**
 * Who may call: API keys. Enter at {@link ApiKeys}.
 *
 * <p>A key's secret leaves this package once, in {@link Issued}; only its hash is kept, and it is
 * never in a log line, an error or a {@code toString}.
 */
@NullMarked
package dev.cove.control.key;

import org.jspecify.annotations.NullMarked;
