/**
 * Root file systems of Debian, made from the machine's own package sources. Enter at {@link
 * dev.cove.node.debian.DebianBootstrap}.
 */
@NullMarked
package dev.cove.node.debian;

import org.jspecify.annotations.NullMarked;
