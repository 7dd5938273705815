/**
 * Programs that a sandbox is to have running: started in order, watched, started again by their
 * rule, found again after a crash of the server, and never started twice.
 *
 * <p>Enter at {@link dev.cove.control.service.Services}. What they say goes into the sandbox's log
 * ({@code dev.cove.control.log}) and nowhere else. Nothing here wakes a sandbox that rests.
 */
@NullMarked
package dev.cove.control.service;

import org.jspecify.annotations.NullMarked;
