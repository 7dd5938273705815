package dev.cove.control.ledger;

import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkSettings;
import java.util.Optional;

/**
 * What is set about a network as one text, for rows and files that carry it along: a line for
 * whether it is attended, one for the limits, and the policy. Groups are not part of it: they are
 * of sandboxes, and not of what sandboxes are made of.
 */
public final class NetworkText {
  private static final String ATTENDED = "attended";
  private static final String UNATTENDED = "unattended";
  private static final String LIMITS = "limits ";

  private NetworkText() {}

  public static String encode(Optional<NetworkSettings> settings) {
    return settings.map(NetworkText::encode).orElse("");
  }

  private static String encode(NetworkSettings settings) {
    NetworkLimits limits = settings.limits();
    return "%s\n%s%d %d %d %d\n%s"
        .formatted(
            settings.attended() ? ATTENDED : UNATTENDED,
            LIMITS,
            limits.connections(),
            limits.newConnections(),
            limits.nameQueries(),
            limits.bytesPerHour(),
            settings.policy().text());
  }

  /**
   * @throws IllegalArgumentException for what {@link #encode} does not write
   */
  public static Optional<NetworkSettings> decode(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String[] parts = text.split("\n", 3);
    boolean known = parts[0].equals(ATTENDED) || parts[0].equals(UNATTENDED);
    if (parts.length < 3 || !known || !parts[1].matches(LIMITS + "(\\d{1,18} ?){4}")) {
      throw new IllegalArgumentException("its network cannot be read");
    }
    String[] numbers = parts[1].substring(LIMITS.length()).split(" ");
    if (numbers.length != 4) {
      throw new IllegalArgumentException("its network cannot be read");
    }
    return Optional.of(
        new NetworkSettings(NetworkPolicy.parse(parts[2]), parts[0].equals(ATTENDED))
            .with(
                new NetworkLimits(
                    Integer.parseInt(numbers[0]),
                    Integer.parseInt(numbers[1]),
                    Integer.parseInt(numbers[2]),
                    Long.parseLong(numbers[3]))));
  }
}
