/**
 * Whether the server can do its work, and which part of it cannot. Enter at {@link
 * dev.cove.control.health.Readiness}. Parts are asked, never repaired, here.
 */
@NullMarked
package dev.cove.control.health;

import org.jspecify.annotations.NullMarked;
