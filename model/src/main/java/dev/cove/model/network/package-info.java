/**
 * What a sandbox may reach, in words that callers, the ledger and the gateway share. Deciding is
 * here, so that an explanation is given by the same code as the refusal; carrying it out is not.
 */
@NullMarked
package dev.cove.model.network;

import org.jspecify.annotations.NullMarked;
