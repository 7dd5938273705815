/**
 * What a sandbox's root file system starts from. Enter at {@link Bases}.
 *
 * <p>A template is made of folders that never change once they are in use. What is copied from the
 * host is on a list; what is not on the list stays outside.
 */
@NullMarked
package dev.cove.node.template;

import org.jspecify.annotations.NullMarked;
