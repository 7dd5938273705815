/**
 * Requests that Cove itself makes to addresses that its users name. They lead nowhere that a
 * sandbox could not be allowed to go either.
 */
@NullMarked
package dev.cove.egress.call;

import org.jspecify.annotations.NullMarked;
