package dev.cove.egress.intake;

import dev.cove.egress.dial.DialFailedException;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.PlainHttp;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.egress.http.RequestHead;
import dev.cove.egress.intake.FirstBytes.Kind;
import dev.cove.egress.intercept.InterceptedConnection;
import dev.cove.egress.log.Account;
import dev.cove.egress.relay.Connection;
import dev.cove.egress.relay.Downstream;
import dev.cove.egress.relay.Inflow;
import dev.cove.egress.relay.Pump;
import dev.cove.egress.relay.Right;
import dev.cove.egress.tls.ClientHello;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Named;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import dev.cove.model.secret.SecretBinding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * One connection on its way to a known destination.
 *
 * <p>Where a name was asked for, nothing that the client sends goes out before it is clear that it
 * names no other host: by SNI in TLS, by Host in HTTP. Where an address was asked for there is no
 * name to be held to. Protocols in which the server speaks first would wait for ever for the
 * client's first bytes, so after a moment the server is dialled and heard; the client's bytes are
 * looked at all the same, whenever they come.
 */
final class Carriage implements InterceptedConnection {
  private static final Duration MOMENT = Duration.ofMillis(100);
  private static final byte[] ESTABLISHED =
      "HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final Verdict NOT_HTTP =
      new Verdict(Outcome.DENIED, "only requests of HTTP can be told apart");

  private final Services services;
  private final Connection connection;
  private final Account account;
  private final Inflow in;
  private final Destination destination;
  private boolean tls;

  Carriage(
      Services services,
      Connection connection,
      Account account,
      Inflow in,
      Destination destination) {
    this.services = services;
    this.connection = connection;
    this.account = account;
    this.in = in;
    this.destination = destination;
  }

  /** As the program inside sees it: a connection to the destination itself. */
  void direct() throws Exception {
    Grants.Grant grant = decide();
    if (grant.verdict().denied()) {
      refusal().send(services.denial(destination, grant.verdict()));
      return;
    }
    boolean byRequest = isByRequest(grant);
    if (!byRequest && !isNamed()) {
      relay();
      return;
    }
    var first = new FirstBytes(in, services.headPatience());
    Kind kind = first.read(byRequest ? services.headPatience() : MOMENT);
    switch (kind) {
      case Kind.Tls(var hello) -> carryTls(hello, byRequest);
      case Kind.Http _ -> carryHttp(byRequest);
      case Kind.Bad(String why) -> refuse(why);
      case Kind.Other _, Kind.Unclear _, Kind.Ended _ -> {
        if (byRequest) {
          account.denied(destination, NOT_HTTP);
          connection.cut();
        } else {
          listenFirst(first, kind);
        }
      }
    }
  }

  /** After a CONNECT: there is TLS to the same host inside, or nothing. */
  void tunnel() throws Exception {
    Grants.Grant grant = decide();
    if (grant.verdict().denied()) {
      refusal().sendPage(services.denial(destination, grant.verdict()), false);
      return;
    }
    boolean byRequest = isByRequest(grant);
    SocketChannel upstream = null;
    if (!byRequest) {
      try {
        upstream = dialOrReport();
      } catch (DialFailedException e) {
        refusal().sendPage(page(e), false);
        return;
      }
    }
    Pump.write(connection.client(), ByteBuffer.wrap(ESTABLISHED));
    Kind kind = new FirstBytes(in, services.headPatience()).read(services.headPatience());
    if (!(kind instanceof Kind.Tls(var hello))) {
      refuse("no TLS in CONNECT");
    } else if (!isFor(hello)) {
      refuseName();
    } else if (upstream == null) {
      intercept(true);
    } else {
      relay(upstream);
    }
  }

  private Refusal refusal() {
    return new Refusal(connection, in);
  }

  private boolean isNamed() {
    return destination.host() instanceof Named;
  }

  /**
   * The right is looked at again after it was granted: rules that changed in between have looked
   * for connections to cut, and did not know of this one.
   */
  private Grants.Grant decide() throws InterruptedException {
    while (true) {
      Grants.Grant grant = services.grants().decide(destination);
      Verdict verdict = grant.verdict();
      if (verdict.denied()) {
        account.denied(destination, verdict);
        return grant;
      }
      account.allowed(destination, verdict);
      connection.grant(
          new Right(destination, grant.answered(), verdict.outcome() == Outcome.BY_REQUEST));
      if (services.grants().stillHold(connection)) {
        return grant;
      }
    }
  }

  private boolean isByRequest(Grants.Grant grant) {
    return grant.verdict().outcome() == Outcome.BY_REQUEST || !secrets().isEmpty();
  }

  private void carryTls(ClientHello hello, boolean byRequest) throws Exception {
    if (!isFor(hello)) {
      refuseName();
    } else if (byRequest) {
      intercept(true);
    } else {
      relay();
    }
  }

  private boolean isFor(ClientHello hello) {
    return !(destination.host() instanceof Named(var name))
        || hello.serverName().filter(sent -> sent.equalsIgnoreCase(name.value())).isPresent();
  }

  private void refuseName() throws IOException {
    account.denied(destination, new Verdict(Outcome.DENIED, "TLS names another host, or none"));
    refusal().sendAlert();
  }

  private void refuse(String why) throws IOException {
    account.denied(destination, new Verdict(Outcome.DENIED, why));
    if (in.available() > 0 && why.startsWith("TLS")) {
      refusal().sendAlert();
    } else {
      connection.cut();
    }
  }

  /** Without an interception HTTP that can be read is still looked at request by request. */
  private void carryHttp(boolean byRequest) throws Exception {
    byRequest();
    if (byRequest && services.interception().handles(services.sandbox(), destination, false)) {
      services.interception().take(this);
      return;
    }
    try {
      new PlainHttp(connection, in, new Requests(), services.headPatience()).run();
      connection.close();
    } catch (RefusedRequestException e) {
      refusal().sendPage(e.page(), false);
    }
  }

  private void intercept(boolean withTls) throws Exception {
    tls = withTls;
    byRequest();
    if (services.interception().handles(services.sandbox(), destination, withTls)) {
      services.interception().take(this);
      return;
    }
    account.denied(destination, NOT_HTTP);
    refusal().sendAlert();
  }

  private void byRequest() {
    boolean answered = connection.right().map(Right::answered).orElse(false);
    connection.grant(new Right(destination, answered, true));
  }

  /** What the plain reading of HTTP needs to know of rules. */
  private final class Requests implements PlainHttp.Upstream {
    @Override
    public void check(RequestHead request) throws RefusedRequestException {
      if (!request.isFor(destination)) {
        account.denied(destination, new Verdict(Outcome.DENIED, "HTTP names another host"));
        throw new RefusedRequestException(Page.misdirected(destination.toString()));
      }
      Verdict verdict = decide(request.request());
      if (verdict.outcome() != Outcome.ALLOWED) {
        account.denied(destination, verdict);
        throw new RefusedRequestException(services.denial(destination, verdict));
      }
    }

    @Override
    public SocketChannel dial() throws RefusedRequestException, InterruptedException {
      try {
        return dialOrReport();
      } catch (DialFailedException e) {
        throw new RefusedRequestException(page(e));
      }
    }
  }

  private SocketChannel dialOrReport() throws DialFailedException, InterruptedException {
    try {
      SocketChannel upstream = services.dialer().dial(destination, connection);
      if (!services.grants().stillHold(connection)) {
        connection.cut();
      }
      return upstream;
    } catch (DialFailedException e) {
      if (e.forbidden()) {
        account.denied(destination, e.verdict());
      } else {
        account.failed(destination, e.verdict());
      }
      throw e;
    }
  }

  private Page page(DialFailedException failure) {
    return failure.forbidden()
        ? services.denial(destination, failure.verdict())
        : Page.unreachable(destination.toString(), failure.verdict().rule());
  }

  private void relay() throws IOException, InterruptedException {
    try {
      relay(dialOrReport());
    } catch (DialFailedException e) {
      refusal().send(page(e));
    }
  }

  private void relay(SocketChannel upstream) throws IOException, InterruptedException {
    Downstream downstream = services.relay().start(connection, upstream);
    services.relay().run(connection, upstream, in.takeAll(), downstream);
    connection.close();
  }

  /** The server may be the one who speaks first. */
  private void listenFirst(FirstBytes first, Kind known) throws Exception {
    SocketChannel upstream;
    try {
      upstream = dialOrReport();
    } catch (DialFailedException e) {
      refusal().send(page(e));
      return;
    }
    Downstream downstream = services.relay().start(connection, upstream);
    Kind kind = known instanceof Kind.Unclear ? first.read(Duration.ZERO) : known;
    switch (kind) {
      case Kind.Tls(var hello) when !isFor(hello) -> refuseName();
      case Kind.Bad(String why) -> refuse(why);
      case Kind.Http _ -> {
        if (downstream.abandon()) {
          refuse("HTTP after the server spoke");
        } else {
          carryHttp(false);
        }
      }
      case Kind.Tls _, Kind.Other _, Kind.Unclear _, Kind.Ended _ -> {
        services.relay().run(connection, upstream, in.takeAll(), downstream);
        connection.close();
      }
    }
  }

  @Override
  public SandboxId sandbox() {
    return services.sandbox();
  }

  @Override
  public Destination destination() {
    return destination;
  }

  @Override
  public boolean tls() {
    return tls;
  }

  @Override
  public SocketChannel client() {
    return connection.client();
  }

  @Override
  public byte[] ahead() {
    return in.takeAll();
  }

  @Override
  public Verdict decide(Request request) {
    return connection
        .right()
        .map(right -> services.grants().decide(right, request))
        .orElseThrow(() -> new IllegalStateException("Nothing was granted"));
  }

  @Override
  public List<SecretBinding> secrets() {
    return services.secrets().at(destination);
  }

  @Override
  public SocketChannel dial() throws DialFailedException, InterruptedException {
    return dialOrReport();
  }

  @Override
  public void release(SocketChannel dialled) {
    connection.disown(dialled);
  }

  @Override
  public void sent(long bytes) throws IOException {
    connection.sent(bytes);
  }

  @Override
  public void received(long bytes) throws IOException {
    connection.received(bytes);
  }
}
