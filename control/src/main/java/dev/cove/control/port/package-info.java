/**
 * Who may reach which port of which sandbox from outside. Enter at {@link Ports}.
 *
 * <p>Keeps what was decided and checks what is presented. Nothing about HTTP comes in here.
 */
@NullMarked
package dev.cove.control.port;

import org.jspecify.annotations.NullMarked;
