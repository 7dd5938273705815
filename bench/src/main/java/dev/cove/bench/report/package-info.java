/**
 * What a bench run found and how it is shown.
 *
 * <p>Enter at {@link Report}. Values and text only: nothing here measures, starts a process or
 * reads the machine.
 */
@NullMarked
package dev.cove.bench.report;

import org.jspecify.annotations.NullMarked;
