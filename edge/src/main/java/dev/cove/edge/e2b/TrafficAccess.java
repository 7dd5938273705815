package dev.cove.edge.e2b;

import dev.cove.control.interpreter.Interpreter;
import dev.cove.control.port.PortAddress;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.RawExchange;
import dev.cove.edge.port.OtherAccess;
import dev.cove.model.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who may use ports of sandboxes that were made through this dialect: everybody who knows the name,
 * as with E2B, unless whoever made it wanted otherwise. Our own never are open to everybody.
 */
public final class TrafficAccess implements OtherAccess {
  /** Where code is run for whoever asks; its clients have the token, so they can show it. */
  static final int INTERPRETER = Interpreter.PORT;

  private static final String TOKEN = "e2b-traffic-access-token";
  private static final String LABEL = E2bDialect.OWN_LABELS + "traffic";
  private static final String HOST_LABEL = E2bDialect.OWN_LABELS + "host";
  private static final String PORT = "${PORT}";
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,255}");

  private final Envd envd;

  TrafficAccess(Envd envd) {
    this.envd = envd;
  }

  /**
   * What is to be remembered of a sandbox whose ports need a token, or are asked for by another
   * name inside.
   *
   * @param maskedHost with {@code ${PORT}} where the port is to be
   */
  public static Map<String, String> labels(
      @Nullable Boolean publicTraffic, @Nullable String maskedHost) {
    var labels = new HashMap<String, String>();
    if (Boolean.FALSE.equals(publicTraffic)) {
      labels.put(LABEL, "token");
    }
    if (maskedHost != null) {
      if (!HOST.matcher(maskedHost.replace(PORT, "0")).matches()) {
        throw new IllegalArgumentException(
            "network.maskRequestHost must be a host, perhaps with a port or %s".formatted(PORT));
      }
      labels.put(HOST_LABEL, maskedHost);
    }
    return labels;
  }

  /** What servers inside read as their host, where that was said. */
  public static Optional<String> maskedHost(Sandbox sandbox) {
    return Optional.ofNullable(sandbox.spec().labels().get(HOST_LABEL));
  }

  @Override
  public Optional<String> host(PortAddress address) {
    return envd.known(address.sandbox().value())
        .flatMap(TrafficAccess::maskedHost)
        .map(host -> host.replace(PORT, String.valueOf(address.port())));
  }

  /** Whether anybody may use its ports. */
  public static boolean isPublic(Sandbox sandbox) {
    return Timeouts.isOurs(sandbox) && !sandbox.spec().labels().containsKey(LABEL);
  }

  @Override
  public Optional<BooleanSupplier> admit(PortAddress address, RawExchange exchange) {
    String id = address.sandbox().value();
    Optional<Sandbox> sandbox = envd.known(id).filter(Timeouts::isOurs);
    if (sandbox.isEmpty()) {
      return Optional.empty();
    }
    boolean open = isPublic(sandbox.get()) && address.port() != INTERPRETER;
    if (!open && !envd.isTrafficToken(address.sandbox(), exchange.single(TOKEN))) {
      throw new HttpRefusal(
          403,
          ErrorCode.FORBIDDEN,
          "Sandbox is secured with traffic access token. Token header '%s' is missing or wrong"
              .formatted(TOKEN));
    }
    envd.running(id); // one that rests is woken only if that was wanted
    return Optional.of(() -> envd.known(id).isPresent());
  }

  /** The second opens the whole sandbox, and must not be seen inside. */
  @Override
  public Set<String> fields() {
    return Set.of(TOKEN, "x-access-token", "e2b-sandbox-id", "e2b-sandbox-port");
  }
}
