/**
 * The measurements, and the servers and folders they are made on.
 *
 * <p>Enter at {@link Measurement}; {@link Workbench} owns everything that must be gone afterwards.
 * Cove is only ever asked through its HTTP API and its launcher, on servers that the bench starts
 * for itself: the user's own server is never touched.
 */
@NullMarked
package dev.cove.bench.measure;

import org.jspecify.annotations.NullMarked;
