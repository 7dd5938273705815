package dev.cove.control.ledger;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** The disk does not answer, so it is not known whether a change will become durable. */
public final class LedgerSilentException extends CoveException {
  LedgerSilentException(Throwable cause) {
    super(
        ErrorCode.UNAVAILABLE,
        "The disk with the ledger does not answer; it is unknown whether the change was made.",
        cause);
  }
}
