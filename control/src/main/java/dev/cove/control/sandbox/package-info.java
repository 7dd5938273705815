/**
 * The life of sandboxes as callers see it: create, list, relabel, delete. Enter at {@link
 * SandboxLifecycle}.
 *
 * <p>The ledger is written before the world is changed, so a crash at any point leaves a ledger
 * that says what must be true. How a sandbox is built is the node's business and stays out of here.
 *
 * <p>Lock order: the lock of one sandbox's entry, then nothing. Two entries are never locked at
 * once.
 */
@NullMarked
package dev.cove.control.sandbox;

import org.jspecify.annotations.NullMarked;
