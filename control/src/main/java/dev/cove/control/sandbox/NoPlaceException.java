package dev.cove.control.sandbox;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.function.Supplier;

/** The machine is full, and nothing has been done yet: the whole may be tried again. */
final class NoPlaceException extends CoveException {
  private NoPlaceException(CoveException cause) {
    super(ErrorCode.NO_ROOM, String.valueOf(cause.getMessage()), cause);
  }

  /** For what takes a place first and does everything else afterwards. */
  static <T> T taking(Supplier<T> place) {
    try {
      return place.get();
    } catch (CoveException e) {
      throw e.code() == ErrorCode.NO_ROOM ? new NoPlaceException(e) : e;
    }
  }
}
