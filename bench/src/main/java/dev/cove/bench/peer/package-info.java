/**
 * The programs that Cove is measured beside: found, set up on the same root file system, asked for
 * the same command, and tidied away.
 *
 * <p>Enter at {@link Peers}. A peer that is absent or does not work here is a {@link PeerStatus},
 * never an error: the bench must run on a machine that has none of them.
 */
@NullMarked
package dev.cove.bench.peer;

import org.jspecify.annotations.NullMarked;
