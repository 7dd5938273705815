package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/** What became of looking up a name. */
public sealed interface Resolution {
  /**
   * @param aliases the names on the way, without the one that was asked for
   */
  record Found(List<InetAddress> addresses, List<DomainName> aliases, Duration timeToLive)
      implements Resolution {
    public Found {
      addresses = List.copyOf(addresses);
      aliases = List.copyOf(aliases);
    }
  }

  /** There is no such name. */
  record Missing() implements Resolution {}

  /** There is, but it has no address. */
  record Empty() implements Resolution {}

  /** Nobody could say. */
  record Failed() implements Resolution {}
}
