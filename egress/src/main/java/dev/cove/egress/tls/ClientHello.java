package dev.cove.egress.tls;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a TLS client says first. */
public final class ClientHello {
  private static final int SERVER_NAME = 0;
  private static final int HOST_NAME = 0;
  private static final int RANDOM_LENGTH = 32;
  private static final int MAX_SESSION = 32;

  private final @Nullable String serverName;

  private ClientHello(@Nullable String serverName) {
    this.serverName = serverName;
  }

  /** The host that is meant, as it was sent; the outer one when an inner one is encrypted. */
  public Optional<String> serverName() {
    return Optional.ofNullable(serverName);
  }

  /**
   * Reads the message's body. Whatever some server could read otherwise than this is refused: two
   * extensions of a kind, two names, names of unknown kinds, lengths that do not fit.
   */
  static ClientHello parse(byte[] body) throws BadHelloException {
    try {
      return parse(ByteBuffer.wrap(body));
    } catch (BufferUnderflowException e) {
      throw new BadHelloException("too short", e);
    }
  }

  private static ClientHello parse(ByteBuffer in) throws BadHelloException {
    require(in.get() == 3, "version");
    in.get();
    skip(in, RANDOM_LENGTH);
    int session = in.get() & 0xFF;
    require(session <= MAX_SESSION, "session id");
    skip(in, session);
    int suites = in.getShort() & 0xFFFF;
    require(suites > 0 && suites % 2 == 0, "cipher suites");
    skip(in, suites);
    int compressions = in.get() & 0xFF;
    require(compressions > 0, "compression methods");
    skip(in, compressions);
    if (!in.hasRemaining()) {
      return new ClientHello(null);
    }
    require((in.getShort() & 0xFFFF) == in.remaining(), "length of extensions");
    return new ClientHello(find(in));
  }

  private static @Nullable String find(ByteBuffer extensions) throws BadHelloException {
    var seen = new HashSet<Short>();
    String found = null;
    while (extensions.hasRemaining()) {
      short type = extensions.getShort();
      ByteBuffer body = slice(extensions, extensions.getShort() & 0xFFFF);
      require(seen.add(type), "repeated extension");
      if (type == SERVER_NAME) {
        found = name(body);
      }
    }
    return found;
  }

  private static String name(ByteBuffer body) throws BadHelloException {
    require((body.getShort() & 0xFFFF) == body.remaining(), "length of server names");
    require(body.get() == HOST_NAME, "kind of server name");
    ByteBuffer name = slice(body, body.getShort() & 0xFFFF);
    require(!body.hasRemaining(), "several server names");
    require(name.hasRemaining(), "empty server name");
    return StandardCharsets.ISO_8859_1.decode(name).toString();
  }

  private static ByteBuffer slice(ByteBuffer in, int length) {
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer slice = in.slice(in.position(), length);
    skip(in, length);
    return slice;
  }

  private static void skip(ByteBuffer in, int length) {
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    in.position(in.position() + length);
  }

  private static void require(boolean condition, String what) throws BadHelloException {
    if (!condition) {
      throw new BadHelloException(what);
    }
  }
}
