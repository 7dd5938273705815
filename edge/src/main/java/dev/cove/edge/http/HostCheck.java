package dev.cove.edge.http;

import dev.cove.model.ErrorCode;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses names that we were not given. A page on the web can make a browser resolve its own name
 * to 127.0.0.1 and talk to this port; its Host header then gives it away.
 */
final class HostCheck {
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final Pattern IPV6 = Pattern.compile("\\[?[0-9a-fA-F:.%]*:[0-9a-zA-Z:.%]*]?");

  private final String configured;
  private final String domain;

  HostCheck(String configured, String domain) {
    this.configured = configured.toLowerCase(Locale.ROOT);
    this.domain = domain.toLowerCase(Locale.ROOT);
  }

  void require(@Nullable String host) {
    if (host == null || !isOurs(host.toLowerCase(Locale.ROOT))) {
      throw new HttpRefusal(
          421,
          ErrorCode.INVALID_REQUEST,
          "This server does not go by that name. Use its address, localhost, or the name that it"
              + " was started with");
    }
  }

  /** A browser says where a page came from; only a page of ours may open a socket. */
  static boolean isSameOrigin(String origin, String host) {
    return origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host);
  }

  private boolean isOurs(String host) {
    return host.equals("localhost")
        || host.equals(configured)
        || host.equals(domain)
        || IPV4.matcher(host).matches()
        || IPV6.matcher(host).matches();
  }
}
