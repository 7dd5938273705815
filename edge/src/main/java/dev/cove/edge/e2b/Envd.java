package dev.cove.edge.e2b;

import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.SandboxPage;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which sandbox a request of the data plane is for, and whether it may. E2B has a daemon of this
 * name inside each sandbox; here it is this server, which speaks to the agent.
 */
public final class Envd {
  /** What clients take for the daemon's age: as new as what is spoken here. */
  public static final String VERSION = "0.6.13";

  static final int PORT = 49_983;
  static final String ID_FIELD = "E2b-Sandbox-Id";
  static final String PORT_FIELD = "E2b-Sandbox-Port";

  private static final Pattern ID = Pattern.compile("[a-z0-9]{1,64}");
  private static final Pattern PORT_NUMBER = Pattern.compile("[0-9]{1,5}");
  private static final int PAGE = 1_000;

  private final SandboxLifecycle lifecycle;
  private final Timeouts timeouts;
  private final DerivedSecrets tokens;

  Envd(SandboxLifecycle lifecycle, Timeouts timeouts, DerivedSecrets tokens) {
    this.lifecycle = lifecycle;
    this.timeouts = timeouts;
    this.tokens = tokens;
  }

  /** Stays the same for as long as the sandbox is there, also while it rests. */
  public String token(SandboxId sandbox) {
    return tokens.of("envd:" + sandbox);
  }

  /** Opens its ports where they are not open to everybody; stays the same too. */
  public String trafficToken(SandboxId sandbox) {
    return tokens.of("traffic:" + sandbox);
  }

  boolean isTrafficToken(SandboxId sandbox, String presented) {
    return same(trafficToken(sandbox), presented);
  }

  /** The running sandbox that a request names; whoever asks has shown its token. */
  public Sandbox require(Exchange exchange) {
    Sandbox sandbox = find(exchange);
    Optional<String> token = exchange.header("X-Access-Token");
    if (token.isEmpty() || !isTokenOf(sandbox.id(), token.get())) {
      throw unauthorised(
          "unauthorized access, please provide a valid access token or method signing if"
              + " supported");
    }
    return sandbox;
  }

  /** The running sandbox that a request names. */
  Sandbox find(Exchange exchange) {
    Optional<String> id = exchange.header(ID_FIELD);
    Optional<String> port = exchange.header(PORT_FIELD);
    if (id.isEmpty() || port.isEmpty()) {
      throw new HttpRefusal(
          400,
          ErrorCode.INVALID_REQUEST,
          "The headers E2b-Sandbox-Id and E2b-Sandbox-Port say which sandbox is meant; both are"
              + " needed");
    }
    String wanted = withoutClient(id.get());
    if (!ID.matcher(wanted).matches() || !PORT_NUMBER.matcher(port.get()).matches()) {
      throw new HttpRefusal(
          400, ErrorCode.INVALID_REQUEST, "E2b-Sandbox-Id or E2b-Sandbox-Port is not one");
    }
    if (Integer.parseInt(port.get()) != PORT) {
      throw new HttpRefusal(
          400, ErrorCode.INVALID_REQUEST, "Ports are numbers from 1 to 65535 without zeros before");
    }
    return running(wanted);
  }

  /** Older clients put something of theirs behind a dash. */
  public static String withoutClient(String id) {
    int dash = id.indexOf('-');
    return dash < 0 ? id : id.substring(0, dash);
  }

  void requireKnown(String id) {
    if (known(id).isEmpty()) {
      throw new SandboxGoneException(id);
    }
  }

  /** One that rests is woken if that was wanted of it. */
  Sandbox running(String id) {
    Sandbox sandbox = known(id).orElseThrow(() -> new SandboxGoneException(id));
    if (sandbox.state() instanceof SandboxState.Running) {
      return sandbox;
    }
    return timeouts.resumeForCall(sandbox).orElseThrow(() -> new SandboxGoneException(id));
  }

  /** By its id alone: names are not a matter of this dialect. */
  public Optional<Sandbox> known(String id) {
    if (!SandboxId.isValid(id)) {
      return Optional.empty();
    }
    try {
      return Optional.of(lifecycle.require(id)).filter(found -> found.id().value().equals(id));
    } catch (CoveException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The sandbox that a path of the control API names, in whatever state. */
  public Sandbox named(Exchange exchange) {
    String id = withoutClient(exchange.path("box"));
    return known(id).orElseThrow(() -> unknown(id));
  }

  public static CoveException unknown(String id) {
    return new CoveException(
        ErrorCode.NOT_FOUND,
        "Sandbox \"%.64s\" doesn't exist or you don't have access to it".formatted(id));
  }

  /** The agent of a sandbox that runs. */
  public Guest guest(Sandbox sandbox) {
    try {
      return lifecycle.guest(sandbox.id().value());
    } catch (CoveException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.CONFLICT) {
        throw new SandboxGoneException(sandbox.id().value());
      }
      throw e;
    }
  }

  /**
   * The running sandbox whose files a request is about: by its token, or by a signature, which also
   * tells which one is meant when nothing else does.
   */
  public Sandbox requireForFile(Exchange exchange, FileSignature.Signed what) {
    Optional<String> token = exchange.header("X-Access-Token");
    Optional<String> signature = exchange.query().find("signature");
    boolean named = exchange.header("E2b-Sandbox-Id").isPresent();
    if (!named && token.isEmpty() && signature.isPresent()) {
      return bySignature(signature.get(), what);
    }
    Sandbox sandbox = find(exchange);
    if (token.isPresent()) {
      if (!isTokenOf(sandbox.id(), token.get())) {
        throw unauthorised("access token present in header but does not match");
      }
      return sandbox;
    }
    if (signature.isEmpty()) {
      throw unauthorised("missing signature query parameter");
    }
    if (!isSignatureOf(sandbox, signature.get(), what)) {
      throw unauthorised("invalid signature");
    }
    requireNotExpired(what);
    return sandbox;
  }

  private Sandbox bySignature(String signature, FileSignature.Signed what) {
    Optional<String> cursor = Optional.empty();
    do {
      SandboxPage page = lifecycle.list(Map.of(), PAGE, cursor);
      for (Sandbox sandbox : page.items()) {
        if (isSignatureOf(sandbox, signature, what)) {
          requireNotExpired(what);
          return running(sandbox.id().value());
        }
      }
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    throw unauthorised("invalid signature");
  }

  private boolean isSignatureOf(Sandbox sandbox, String signature, FileSignature.Signed what) {
    return same(FileSignature.of(what, token(sandbox.id())), signature);
  }

  private static void requireNotExpired(FileSignature.Signed what) {
    if (what.hasExpired(Clock.systemUTC().instant())) {
      throw unauthorised("signature is already expired");
    }
  }

  private boolean isTokenOf(SandboxId sandbox, String presented) {
    return same(token(sandbox), presented);
  }

  private static boolean same(String expected, String presented) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), presented.getBytes(StandardCharsets.UTF_8));
  }

  static HttpRefusal unauthorised(String message) {
    return new HttpRefusal(401, ErrorCode.UNAUTHENTICATED, message);
  }
}
