/** Traces on their way to a collector, where one is named; else nothing of this is loaded. */
@NullMarked
package dev.cove.server.trace;

import org.jspecify.annotations.NullMarked;
