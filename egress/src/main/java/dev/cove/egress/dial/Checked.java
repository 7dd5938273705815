package dev.cove.egress.dial;

import dev.cove.model.network.Verdict;
import java.net.InetAddress;
import java.util.List;

/** What a look at the real addresses of a destination came to. */
public sealed interface Checked {
  /** These may be dialled, and no others: nobody looks the name up again. */
  record Addresses(List<InetAddress> addresses) implements Checked {}

  /** There are addresses, and each is forbidden. */
  record Forbidden(Verdict verdict) implements Checked {}

  /** There is no address. */
  record Unknown(String why) implements Checked {}
}
