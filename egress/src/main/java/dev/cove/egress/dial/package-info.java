/**
 * Connections to the world: the only place where one is made. The address that was checked is the
 * one that is dialled.
 */
@NullMarked
package dev.cove.egress.dial;

import org.jspecify.annotations.NullMarked;
