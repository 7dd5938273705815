/**
 * Tests through the front door: a real server process, the HTTP API, the SDK and the command line.
 *
 * <p>Enter at {@link RunningServer}. It gives every test class a home of its own and, when it
 * closes, checks that the host is as it was before.
 */
@NullMarked
package dev.cove.e2e;

import org.jspecify.annotations.NullMarked;
