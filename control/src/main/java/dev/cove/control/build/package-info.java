/**
 * How a template is made from a description. Enter at {@link Builds}; at {@link Dockerfile} for
 * what shall be done and at {@link BuildContext} for the files it is done with.
 *
 * <p>What callers send is hostile: each text, list and archive has a limit, and nothing from it is
 * ever used as a path of the host.
 */
@NullMarked
package dev.cove.control.build;

import org.jspecify.annotations.NullMarked;
