package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import dev.cove.model.network.InsideAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which address stands for which name in one sandbox.
 *
 * <p>Programs keep addresses for as long as they like, so an address goes on meaning its name:
 * names that may be reached are written down, and outlive this process. Names that may not be
 * reached need an address only until the connection to it is refused. They have a small room of
 * their own, or whoever asks for names at random could push out the others.
 *
 * <p>When the table is full the oldest name goes. Its address is given to another only after all
 * other addresses had their turn.
 */
public final class NameTable implements AutoCloseable {
  static final int CAPACITY = 16_384;
  static final int PASSING_CAPACITY = 1_024;

  /**
   * Offsets in {@link InsideAddresses#NAMES}; the first 256 are the gateway's, the last its own.
   */
  private static final int FIRST_LASTING = 0x100;

  private static final int FIRST_PASSING = 0x1_0000;
  private static final int END = 0x1_FF00;

  private static final int BASE =
      ByteBuffer.wrap(InsideAddresses.GATEWAY.getAddress()).getInt() & 0xFFFE_0000;

  /** Addresses in one part of the range, and the names that they stand for. */
  private static final class Room {
    final int first;
    final int end;
    final int capacity;
    final LinkedHashMap<DomainName, Integer> offsets = new LinkedHashMap<>();
    final Map<Integer, DomainName> names = new HashMap<>();
    int next;

    Room(int first, int end, int capacity) {
      this.first = first;
      this.end = end;
      this.capacity = capacity;
      this.next = first;
    }

    void put(DomainName name, int offset) {
      remove(names.get(offset));
      remove(name);
      if (offsets.size() == capacity) {
        remove(offsets.firstEntry().getKey());
      }
      offsets.put(name, offset);
      names.put(offset, name);
      next = offset + 1 == end ? first : offset + 1;
    }

    private void remove(@Nullable DomainName name) {
      Integer offset = name == null ? null : offsets.remove(name);
      if (offset != null) {
        names.remove(offset);
      }
    }
  }

  private final NameFile file;
  private final Room lasting = new Room(FIRST_LASTING, FIRST_PASSING, CAPACITY);
  private final Room passing = new Room(FIRST_PASSING, END, PASSING_CAPACITY);

  NameTable(NameFile file) throws IOException {
    this.file = file;
    file.read((offset, name) -> {
      if (offset >= FIRST_LASTING && offset < FIRST_PASSING) {
        lasting.put(name, offset);
      }
    });
  }

  /**
   * The address that stands for a name for good.
   *
   * @throws IOException it could not be written down, and so must not be given out
   */
  public synchronized InetAddress lasting(DomainName name) throws IOException {
    Integer known = lasting.offsets.get(name);
    if (known != null) {
      return address(known);
    }
    int offset = lasting.next;
    if (file.isLong()) {
      file.replace(lasting.offsets);
    }
    file.append(offset, name);
    lasting.put(name, offset);
    return address(offset);
  }

  /** An address that stands for a name for a while; the lasting one if it has one. */
  public synchronized InetAddress passing(DomainName name) {
    Integer known = lasting.offsets.getOrDefault(name, passing.offsets.get(name));
    if (known == null) {
      known = passing.next;
      passing.put(name, known);
    }
    return address(known);
  }

  public synchronized Optional<DomainName> nameOf(InetAddress address) {
    int offset = ByteBuffer.wrap(address.getAddress()).getInt() - BASE;
    return Optional.ofNullable(lasting.names.get(offset))
        .or(() -> Optional.ofNullable(passing.names.get(offset)));
  }

  private static InetAddress address(int offset) {
    try {
      return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(BASE + offset).array());
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    file.close();
  }
}
