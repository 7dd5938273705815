/**
 * What the services of sandboxes have said: a bounded ring of files for each sandbox.
 *
 * <p>Enter at {@link dev.cove.control.log.SandboxLogs}. What comes in was written by hostile
 * programs: it is bytes, never a format, and none of it goes into the server's own log.
 */
@NullMarked
package dev.cove.control.log;

import org.jspecify.annotations.NullMarked;
