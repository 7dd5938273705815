package dev.cove.edge.http;

import dev.cove.control.project.Scope;
import dev.cove.model.ErrorCode;
import dev.cove.model.observe.Span;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every request passes, in this order: host, gateway or dialect, route, key, project,
 * endpoint.
 */
final class FrontHandler extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(FrontHandler.class);
  private static final String GATEWAY = "gateway";
  private static final Caller ANYONE = new Caller("", Optional.empty(), () -> true);

  private final List<Spoken> dialects;
  private final HostCheck hosts;
  private final KeyCheck keys;
  private final Admittance projects;
  private final HttpLimits limits;
  private final RequestLog log;
  private final Gateway gateway;
  private final Set<Thread> atWork = ConcurrentHashMap.newKeySet();

  /** A dialect and where its paths lead. */
  private record Spoken(Dialect dialect, RouteTable routes) {}

  /**
   * @param dialects the first that owns a path has it
   */
  FrontHandler(
      List<Dialect> dialects,
      HostCheck hosts,
      KeyCheck keys,
      Admittance projects,
      HttpLimits limits,
      RequestLog log,
      Gateway gateway) {
    this.dialects =
        dialects.stream()
            .map(dialect -> new Spoken(dialect, new RouteTable(dialect.routes())))
            .toList();
    this.hosts = hosts;
    this.keys = keys;
    this.projects = projects;
    this.limits = limits;
    this.log = log;
    this.gateway = gateway;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Optional<Span> span =
        Span.ofRequest(Optional.ofNullable(request.getHeaders().get("traceparent")));
    return span.isPresent()
        ? span.get().call(() -> answer(request, response, callback, span))
        : answer(request, response, callback, span);
  }

  private boolean answer(
      Request request, Response response, Callback callback, Optional<Span> span) {
    long start = System.nanoTime();
    // Work may take longer than a connection may be idle; reads and writes still time out.
    request.addIdleTimeoutListener(_ -> false);
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    String route = "other";
    try {
      route = isForGateway(request) ? GATEWAY : route;
      if (route.equals(GATEWAY)) {
        var exchange = new RawExchange(request, response, callback);
        pass(exchange, () -> speakerOfPort(exchange.host()));
      } else {
        route = speak(request, response, callback);
      }
    } catch (RuntimeException e) {
      ProblemReply.write(request, response, callback, e, route);
    }
    noteAnswer(span, route, response.getStatus(), start);
    return true;
  }

  private void noteAnswer(Optional<Span> span, String route, int status, long start) {
    log.answered(route, status, System.nanoTime() - start);
    span.ifPresent(open -> open.answered(route, status));
  }

  /**
   * @return the route that it took
   */
  private String speak(Request asked, Response response, Callback callback) {
    Spoken spoken = spoken(asked);
    Dialect dialect = spoken.dialect;
    Request request = asked;
    String route = "other";
    try {
      request = renamed(asked, dialect);
      String path = request.getHttpURI().getPath();
      if (gateway.ownsPath(path)) {
        pass(new RawExchange(request, response, callback), () -> Optional.of(dialect));
        return GATEWAY;
      }
      RouteTable.Found found = spoken.routes.find(request.getMethod(), path);
      Caller caller = ANYONE;
      if (!(found instanceof RouteTable.Found.Here here && here.route().open())) {
        caller = keys.require(dialect.key(request.getHeaders()));
      }
      switch (found) {
        case RouteTable.Found.Here here -> {
          route = here.route().method() + " " + here.route().path();
          Query query =
              Query.parse(
                  Objects.requireNonNullElse(request.getHttpURI().getQuery(), ""),
                  here.route().query(),
                  dialect.refusesUnknownParameters());
          var matched = new Exchange.Matched(here.parameters(), query, caller, dialect);
          Scope scope =
              here.route().open() // it knows by itself whom it answers
                  ? Scope.EVERYTHING
                  : projects.admit(caller, here.route(), request.getHeaders(), query);
          run(
              route,
              scope,
              here.route(),
              new Exchange(request, response, callback, limits, matched));
        }
        case RouteTable.Found.OtherMethod other ->
            throw new HttpRefusal(
                405,
                ErrorCode.METHOD_NOT_ALLOWED,
                "This path answers to " + String.join(", ", other.allowed()),
                Map.of("Allow", String.join(", ", other.allowed())));
        case RouteTable.Found.Nowhere _ ->
            throw new HttpRefusal(404, ErrorCode.NOT_FOUND, "There is nothing at this path");
      }
    } catch (RuntimeException e) {
      Dialect.Reply reply = dialect.refusal(e, Problem.of(e, route));
      ProblemReply.write(request, response, callback, e, reply, null);
    }
    return route;
  }

  private Spoken spoken(Request request) {
    String host = Objects.requireNonNullElse(request.getHttpURI().getHost(), "");
    String path = request.getHttpURI().getPath();
    return dialects.stream()
        .filter(one -> one.dialect.ownsHost(host))
        .findFirst()
        .or(() -> dialects.stream().filter(one -> one.dialect.owns(path)).findFirst())
        .orElseThrow();
  }

  private static Request renamed(Request request, Dialect dialect) {
    String host = Objects.requireNonNullElse(request.getHttpURI().getHost(), "");
    return dialect
        .rename(host, request.getHttpURI().getPath(), request.getHeaders())
        .<Request>map(name -> new RenamedRequest(request, name))
        .orElse(request);
  }

  /** Ends what is still at work, such as streams that have no end of their own. */
  void interruptAll() {
    atWork.forEach(Thread::interrupt);
  }

  /** A name of the gateway's never leads to the API, and any other must be one of ours. */
  private boolean isForGateway(Request request) {
    @Nullable String host = request.getHttpURI().getHost();
    boolean spoken = host != null && dialects.stream().anyMatch(one -> one.dialect.ownsHost(host));
    boolean named = host != null && !spoken && gateway.ownsHost(host);
    if (!named && !spoken) {
      hosts.require(host);
    }
    @Nullable String uri = request.getHttpURI().getPathQuery();
    if (uri == null || uri.length() > HttpLimits.URI) {
      throw new HttpRefusal(414, ErrorCode.TOO_LARGE, "The URL is too long");
    }
    return named || (!spoken && gateway.ownsPath(request.getHttpURI().getPath()));
  }

  private Optional<Dialect> speakerOfPort(String host) {
    return dialects.stream().map(Spoken::dialect).filter(one -> one.speaksOfPort(host)).findFirst();
  }

  /**
   * @param dialect asked when something has failed: in whose words that is told; in our own without
   */
  private void pass(RawExchange exchange, Supplier<Optional<Dialect>> dialect) {
    @Nullable Exception failure = null;
    atWork.add(Thread.currentThread());
    try {
      gateway.handle(exchange);
      if (!exchange.isAnswered()) {
        throw new IllegalStateException("The gateway gave no answer");
      }
    } catch (InterruptedException | IOException | RuntimeException e) {
      failure = e;
    } finally {
      atWork.remove(Thread.currentThread());
    }
    if (failure != null) {
      LOG.debug("A request to the gateway ended early", failure);
      exchange.fail(failure, GATEWAY, dialect.get());
    }
  }

  private void run(String where, Scope scope, Route route, Exchange exchange) {
    @Nullable Throwable failure = null;
    atWork.add(Thread.currentThread());
    try {
      scope.call(() ->
          exchange
              .patience()
              .call(() -> {
                route.endpoint().handle(exchange);
                exchange.finish();
                return true;
              }));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = e;
    } catch (Exception | VirtualMachineError e) {
      failure = e;
    } finally {
      atWork.remove(Thread.currentThread());
    }
    if (failure != null) {
      LOG.debug("{} ended early", where, failure);
      exchange.fail(failure, where);
    }
  }
}
