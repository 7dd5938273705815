package dev.cove.edge.port;

import dev.cove.control.port.Pass;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A request that was let in.
 *
 * @param stillHolds whether it would be let in now; long answers are cut when it would not
 * @param cookie for the browser that came with a link
 * @param forEverybody whether nobody is asked who he is
 */
record Admission(BooleanSupplier stillHolds, Optional<Pass> cookie, boolean forEverybody) {
  Admission(BooleanSupplier stillHolds) {
    this(stillHolds, Optional.empty(), false);
  }
}
