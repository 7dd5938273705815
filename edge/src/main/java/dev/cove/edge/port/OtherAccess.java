package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import dev.cove.edge.http.RawExchange;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Whom else a port is open to: those who speak another API than ours have rules of their own. */
public interface OtherAccess {
  /**
   * Asked when nothing of ours lets a request in; refuses by an exception, in its own words.
   *
   * @return for how long it is let in; empty where this has no say
   */
  Optional<BooleanSupplier> admit(PortAddress address, RawExchange exchange);

  /** The host that the server inside is to read in a request, where it is not the one asked for. */
  Optional<String> host(PortAddress address);

  /** In lower case, the fields that are meant for this and not for the server inside. */
  Set<String> fields();
}
