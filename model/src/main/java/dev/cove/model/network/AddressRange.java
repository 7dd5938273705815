package dev.cove.model.network;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The addresses that begin with the same bits. */
public final class AddressRange {
  private static final Pattern FOUR = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final Pattern SIX = Pattern.compile("[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

  private final InetAddress first;
  private final int bits;

  private AddressRange(InetAddress first, int bits) {
    this.first = first;
    this.bits = bits;
  }

  /**
   * {@code 192.0.2.7}, {@code 192.0.2.0/24} or the same with an IPv6 address.
   *
   * @throws IllegalArgumentException when it is none of these, or when bits behind the prefix are
   *     set: whoever wrote that meant something else
   */
  public static AddressRange of(String text) {
    int slash = text.indexOf('/');
    InetAddress address =
        address(slash < 0 ? text : text.substring(0, slash))
            .orElseThrow(() -> new IllegalArgumentException("That is not an address"));
    int longest = address.getAddress().length * 8;
    int bits = slash < 0 ? longest : number(text.substring(slash + 1), longest);
    if (!Arrays.equals(address.getAddress(), masked(address.getAddress(), bits))) {
      throw new IllegalArgumentException(
          "An address range must begin with its first address, and this one does not");
    }
    return new AddressRange(address, bits);
  }

  /** The same for clients that do not mind: the bits behind the prefix do not matter. */
  public static AddressRange containing(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      return of(text);
    }
    InetAddress address =
        address(text.substring(0, slash))
            .orElseThrow(() -> new IllegalArgumentException("That is not an address"));
    int bits = number(text.substring(slash + 1), address.getAddress().length * 8);
    return new AddressRange(at(masked(address.getAddress(), bits)), bits);
  }

  /** What is left of it without those: as few ranges as say it. */
  public List<AddressRange> without(List<AddressRange> others) {
    if (others.stream().anyMatch(other -> other.covers(this))) {
      return List.of();
    }
    if (others.stream().noneMatch(this::covers)) {
      return List.of(this);
    }
    var left = new ArrayList<AddressRange>();
    for (AddressRange half : halves()) {
      left.addAll(half.without(others));
    }
    return left;
  }

  private boolean covers(AddressRange other) {
    return bits <= other.bits && contains(other.first);
  }

  private List<AddressRange> halves() {
    byte[] upper = first.getAddress();
    upper[bits / 8] |= (byte) (0x80 >> bits % 8);
    return List.of(new AddressRange(first, bits + 1), new AddressRange(at(upper), bits + 1));
  }

  private static InetAddress at(byte[] address) {
    try {
      return InetAddress.getByAddress(address);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("An address has as many bytes as it had before", e);
    }
  }

  private static int number(String text, int max) {
    if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) > max) {
      throw new IllegalArgumentException(
          "Behind the slash of an address range is a number from 0 to " + max);
    }
    return Integer.parseInt(text);
  }

  /**
   * An address in its usual spelling; anything else could be a name, which nobody looks up here.
   */
  public static Optional<InetAddress> address(String text) {
    String dotted = text.substring(text.lastIndexOf(':') + 1);
    if (dotted.indexOf('.') >= 0 && !isFour(dotted)) {
      return Optional.empty();
    }
    if (!isFour(text) && !SIX.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isFour(String text) {
    return FOUR.matcher(text).matches()
        && Arrays.stream(text.split("\\.")).noneMatch(AddressRange::notAByte);
  }

  private static boolean notAByte(String part) {
    return Integer.parseInt(part) > 255 || (part.length() > 1 && part.startsWith("0"));
  }

  /** IPv4 addresses in IPv6 form are the IPv4 addresses. */
  public boolean contains(InetAddress address) {
    byte[] other = address.getAddress();
    return other.length == first.getAddress().length
        && Arrays.equals(masked(other, bits), first.getAddress());
  }

  private static byte[] masked(byte[] address, int bits) {
    byte[] masked = address.clone();
    for (int i = 0; i < masked.length; i++) {
      int kept = Math.clamp(bits - i * 8L, 0, 8);
      masked[i] = (byte) (masked[i] & (0xFF << (8 - kept)));
    }
    return masked;
  }

  /** The address alone where the range is just that. */
  @Override
  public String toString() {
    String text = first.getHostAddress();
    return bits == first.getAddress().length * 8 ? text : text + "/" + bits;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AddressRange range && first.equals(range.first) && bits == range.bits;
  }

  @Override
  public int hashCode() {
    return first.hashCode() * 31 + bits;
  }
}
