package dev.cove.edge.port;

import dev.cove.control.key.ApiKeys;
import dev.cove.control.port.PortAddress;
import dev.cove.control.port.Ports;
import dev.cove.control.sandbox.Patience;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.ClientGoneException;
import dev.cove.edge.http.Gateway;
import dev.cove.edge.http.HeaderField;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.RawExchange;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Passes requests on to servers inside sandboxes, and their answers back, as they come. */
public final class PortProxy implements Gateway, AutoCloseable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final Set<String> NOT_PASSED = Set.of("CONNECT", "TRACE");

  /** A body so small is sent together with the head. */
  private static final int SMALL_BODY = 16 * 1024;

  /** For a client to end its request when the answer is already complete. */
  private static final Duration LATE_BODY = Duration.ofSeconds(3);

  private final SandboxLifecycle lifecycle;
  private final PortNames names;
  private final PortGate gate;
  private final OtherAccess others;
  private final LateServers late;
  private final PortLimits limits;
  private final ConnectionPool pool;
  private final Passages passages;

  public PortProxy(
      SandboxLifecycle lifecycle,
      Ports ports,
      ApiKeys keys,
      PortNames names,
      OtherAccess others,
      LateServers late,
      PortLimits limits) {
    this.others = others;
    this.late = late;
    this.lifecycle = lifecycle;
    this.names = names;
    this.gate = new PortGate(ports, keys, address -> lifecycle.owner(address.sandbox()), others);
    this.limits = limits;
    this.pool = new ConnectionPool(limits.kept());
    this.passages = new Passages(limits, pool);
    lifecycle.whenGone(this::forget);
  }

  @Override
  public boolean ownsHost(String host) {
    return names.ownsHost(host);
  }

  @Override
  public boolean ownsPath(String path) {
    return names.ownsPath(path);
  }

  @Override
  public void handle(RawExchange exchange) throws IOException, InterruptedException {
    PortNames.Named named =
        names
            .find(exchange.host(), exchange.path())
            .orElseThrow(() ->
                new HttpRefusal(404, ErrorCode.NOT_FOUND, "This does not name a sandbox's port"));
    lifecycle.require(named.address().sandbox().value());
    if (NOT_PASSED.contains(exchange.method())) {
      throw new HttpRefusal(
          405,
          ErrorCode.METHOD_NOT_ALLOWED,
          "This method is not passed on",
          Map.of("Allow", "GET"));
    }
    if (named.inner(exchange.path()).isEmpty()) {
      redirect(exchange, 308, named.prefix() + "/", exchange.query(), List.of());
      return;
    }
    Credentials credentials = Credentials.of(exchange);
    Admission admission = gate.admit(named.address(), credentials, exchange);
    var replyFields = new ReplyFields(exchange, named, admission);
    if (admission.cookie().isPresent() && isPageView(exchange)) {
      // The link must not stay in the address bar, from where it gets into bookmarks and Referer.
      String here =
          (exchange.isSecure() ? "https://" : "http://") + exchange.authority() + exchange.path();
      HeaderField cookie = replyFields.cookie(admission.cookie().get());
      redirect(exchange, 303, here, credentials.query(), List.of(cookie));
      return;
    }
    String host = others.host(named.address()).orElseGet(exchange::authority);
    var head = new RequestHead(exchange, named, credentials, host, others.fields());
    try (var passing = new Passing(exchange, named.address(), head, replyFields, admission)) {
      passing.run();
    }
  }

  private static boolean isPageView(RawExchange exchange) {
    return exchange.method().equals("GET")
        && exchange.fields().stream()
            .anyMatch(field -> field.is("Accept") && field.value().contains("text/html"));
  }

  private static void redirect(
      RawExchange exchange, int status, String path, String query, List<HeaderField> more)
      throws IOException {
    var fields =
        new ArrayList<>(
            List.of(
                new HeaderField("Location", query.isEmpty() ? path : path + "?" + query),
                new HeaderField("Cache-Control", "no-store"),
                new HeaderField("Referrer-Policy", "no-referrer"),
                new HeaderField("Content-Length", "0")));
    fields.addAll(more);
    exchange.send(status, fields);
  }

  /** To be called when a port's setting has changed: streams that it does not allow end at once. */
  void recheck(PortAddress address) {
    passages.recheck(address);
  }

  private void forget(SandboxId sandbox) {
    passages.forget(sandbox);
    pool.forget(sandbox);
  }

  /** The one place where a request meets a sandbox: whatever must happen to it first, does here. */
  private SandboxConnection connect(PortAddress address) {
    try {
      return new SandboxConnection(lifecycle.connect(address.sandbox().value(), address.port()));
    } catch (CoveException e) {
      if (e.code() != ErrorCode.GUEST_REFUSED) {
        throw e;
      }
      return new SandboxConnection(
          late.start(address).orElseThrow(() -> new PortClosedException(address)));
    }
  }

  @Override
  public void close() {
    passages.close();
  }

  /** One request on its way. */
  private final class Passing implements AutoCloseable {
    private final RawExchange exchange;
    private final PortAddress address;
    private final RequestHead head;
    private final ReplyFields replyFields;
    private final Passage passage;
    private boolean tunnelled;

    Passing(
        RawExchange exchange,
        PortAddress address,
        RequestHead head,
        ReplyFields replyFields,
        Admission admission) {
      this.exchange = exchange;
      this.address = address;
      this.head = head;
      this.replyFields = replyFields;
      this.passage = passages.enter(address, admission, exchange);
    }

    void run() throws IOException, InterruptedException {
      try {
        pass();
      } catch (IOException | InterruptedException | RuntimeException e) {
        Exception reason = passage.reasonOr(e);
        passage.close();
        switch (reason) {
          case ClientGoneException gone -> throw gone;
          case BadReplyException bad -> throw badGateway(bad.getMessage());
          case IOException _ -> throw badGateway("it hung up");
          case InterruptedException interrupted -> throw interrupted;
          case RuntimeException refusal -> throw refusal;
          default -> throw new IllegalStateException(reason);
        }
      }
    }

    private HttpRefusal badGateway(@Nullable String why) {
      return new HttpRefusal(
          502,
          ErrorCode.BAD_GATEWAY,
          "The server on port %d does not answer in good HTTP: %s".formatted(address.port(), why));
    }

    private void pass() throws IOException, InterruptedException {
      byte[] first = firstBytes();
      boolean bodyFollows = !exchange.isRead() && exchange.hasBody();
      wake(); // a connection that was kept wakes nobody
      Optional<SandboxConnection> kept = pool.take(address);
      if (kept.isPresent() && pass(kept.get(), first, bodyFollows, isRepeatable(bodyFollows))) {
        return;
      }
      pass(connect(address), first, bodyFollows, false);
    }

    /** A passage notices that its client leaves, and interrupts who waits for a place then. */
    private void wake() {
      Patience.unwatched(Optional.empty()).call(() -> lifecycle.awake(address.sandbox().value()));
    }

    /** Head, and the body too if it is small. */
    private byte[] firstBytes() throws IOException {
      byte[] bytes = head.toBytes();
      long length = exchange.length().orElse(Long.MAX_VALUE);
      if (length == 0 || length > SMALL_BODY) {
        return bytes;
      }
      byte[] body;
      try {
        body = exchange.body().readNBytes((int) length + 1);
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
      if (body.length != length) {
        throw new HttpRefusal(
            400, ErrorCode.INVALID_REQUEST, "The body is not as long as it was said to be");
      }
      byte[] both = Arrays.copyOf(bytes, bytes.length + body.length);
      System.arraycopy(body, 0, both, bytes.length, body.length);
      return both;
    }

    /** A server may hang up just when a kept connection is used again. */
    private boolean isRepeatable(boolean bodyFollows) {
      return !bodyFollows
          && exchange.length().orElse(0) == 0
          && Set.of("GET", "HEAD", "OPTIONS").contains(exchange.method());
    }

    /**
     * @return false when nothing came back and the request may be repeated on another connection
     */
    private boolean pass(
        SandboxConnection connection, byte[] first, boolean bodyFollows, boolean repeatable)
        throws IOException, InterruptedException {
      boolean kept = false;
      Optional<BodySender> sender = Optional.empty();
      try {
        passage.expectWithin(limits.reply());
        try {
          connection.ask(first);
          if (bodyFollows) {
            sender = Optional.of(BodySender.start(exchange, connection, passage, limits.reply()));
          }
          if (!connection.awaitReply()) {
            throw new IOException("The server hung up");
          }
        } catch (IOException e) {
          if (repeatable && !passage.isCut()) {
            return false;
          }
          throw e;
        }
        passage.expectWithin(limits.head());
        boolean toHead = exchange.method().equals("HEAD");
        ReplyHead reply = connection.readHead(toHead, !head.upgrade().isEmpty());
        passage.expectNothing();
        if (reply.status() == 101) {
          upgrade(connection, reply);
          kept = true;
          return true;
        }
        answer(connection, reply);
        boolean whole = sender.isEmpty() || sender.get().finish(LATE_BODY);
        passage.close();
        if (whole) {
          kept = true;
          pool.give(address, connection);
        }
        if (sender.isPresent() && !exchange.isRead()) {
          exchange.abandon();
        } else {
          exchange.finish();
        }
        return true;
      } finally {
        if (!kept) {
          connection.close();
        }
      }
    }

    private void answer(SandboxConnection connection, ReplyHead reply) throws IOException {
      exchange.begin(
          reply.status(), replyFields.of(reply), () -> ReplyFields.trailers(connection.trailers()));
      for (ByteBuffer piece = connection.nextPiece();
          piece != null;
          piece = connection.nextPiece()) {
        boolean last = connection.hasBodyEnded();
        exchange.write(piece, last);
        if (last) {
          return;
        }
      }
      exchange.write(NOTHING.slice(), true);
    }

    private void upgrade(SandboxConnection connection, ReplyHead reply) {
      var fields = new ArrayList<>(replyFields.of(reply));
      fields.removeIf(field -> field.is("Content-Length"));
      reply.values("Upgrade").forEach(name -> fields.add(new HeaderField("Upgrade", name)));
      tunnelled = true;
      passage.becomeTunnel(connection::close);
      exchange.upgrade(
          fields,
          tunnel -> {
            var splice = new Splice(tunnel, connection);
            passage.becomeTunnel(splice::end);
            splice.run();
            passage.close();
          },
          () -> {
            connection.close();
            passage.close();
          });
    }

    @Override
    public void close() {
      if (!tunnelled) {
        passage.close();
      }
    }
  }
}
