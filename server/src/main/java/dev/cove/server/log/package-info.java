/**
 * Where log lines go: to stderr, one line per event, without ever holding up a request.
 *
 * <p>Set up in code and not in XML, which would cost a tenth of the time that a start may take.
 */
@NullMarked
package dev.cove.server.log;

import org.jspecify.annotations.NullMarked;
