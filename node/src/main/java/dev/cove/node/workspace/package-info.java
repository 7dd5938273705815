/**
 * Folders of this host in sandboxes: what of them is hidden, what sandboxes changed, and how that
 * is applied. Enter at {@link dev.cove.node.workspace.LocalWorkspaces}. What a change is, and how a
 * folder of the host is changed, is {@code dev.cove.review}'s.
 */
@NullMarked
package dev.cove.node.workspace;

import org.jspecify.annotations.NullMarked;
