/**
 * Attacks that must fail, tried through the front door: a real server, the HTTP API and code inside
 * real sandboxes.
 *
 * <p>Enter at {@link Intruder}, a sandbox whose code is hostile. A test first shows that the
 * allowed twin of an attack works, so that it cannot pass because nothing does. {@link HostCanary}
 * tells whether the host was touched, {@link Bystander} whether another sandbox had to wait. The
 * programs that misbehave are in {@code src/security/c}; {@link HostileProgram} compiles them.
 */
@NullMarked
package dev.cove.security;

import org.jspecify.annotations.NullMarked;
