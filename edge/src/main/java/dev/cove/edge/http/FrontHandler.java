package dev.cove.edge.http;

import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What every request passes, in this order: host, gateway or route, key, endpoint. */
final class FrontHandler extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(FrontHandler.class);
  private static final String GATEWAY = "gateway";
  private static final Caller ANYONE = new Caller("", () -> true);

  private final RouteTable routes;
  private final HostCheck hosts;
  private final KeyCheck keys;
  private final HttpLimits limits;
  private final RequestLog log;
  private final Gateway gateway;
  private final Set<Thread> atWork = ConcurrentHashMap.newKeySet();

  FrontHandler(
      RouteTable routes,
      HostCheck hosts,
      KeyCheck keys,
      HttpLimits limits,
      RequestLog log,
      Gateway gateway) {
    this.routes = routes;
    this.hosts = hosts;
    this.keys = keys;
    this.limits = limits;
    this.log = log;
    this.gateway = gateway;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    long start = System.nanoTime();
    // Work may take longer than a connection may be idle; reads and writes still time out.
    request.addIdleTimeoutListener(_ -> false);
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    String route = "other";
    try {
      if (isForGateway(request)) {
        route = GATEWAY;
        pass(new RawExchange(request, response, callback));
        log.answered(route, response.getStatus(), System.nanoTime() - start);
        return true;
      }
      RouteTable.Found found = find(request);
      Caller caller = ANYONE;
      if (!(found instanceof RouteTable.Found.Here here && here.route().open())) {
        caller = keys.require(request.getHeaders());
      }
      switch (found) {
        case RouteTable.Found.Here here -> {
          route = here.route().method() + " " + here.route().path();
          run(here, caller, request, response, callback);
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
      ProblemReply.write(request, response, callback, e, route, null);
    }
    log.answered(route, response.getStatus(), System.nanoTime() - start);
    return true;
  }

  /** Ends what is still at work, such as streams that have no end of their own. */
  void interruptAll() {
    atWork.forEach(Thread::interrupt);
  }

  /** A name of the gateway's never leads to the API, and any other must be one of ours. */
  private boolean isForGateway(Request request) {
    @Nullable String host = request.getHttpURI().getHost();
    boolean named = host != null && gateway.ownsHost(host);
    if (!named) {
      hosts.require(host);
    }
    @Nullable String uri = request.getHttpURI().getPathQuery();
    if (uri == null || uri.length() > HttpLimits.URI) {
      throw new HttpRefusal(414, ErrorCode.TOO_LARGE, "The URL is too long");
    }
    return named || gateway.ownsPath(request.getHttpURI().getPath());
  }

  private void pass(RawExchange exchange) {
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
      exchange.fail(failure, GATEWAY);
    }
  }

  private RouteTable.Found find(Request request) {
    return routes.find(request.getMethod(), request.getHttpURI().getPath());
  }

  private void run(
      RouteTable.Found.Here here,
      Caller caller,
      Request request,
      Response response,
      Callback callback) {
    String raw = request.getHttpURI().getQuery();
    Query query = Query.parse(raw == null ? "" : raw, here.route().query());
    var matched = new Exchange.Matched(here.parameters(), query, caller);
    var exchange = new Exchange(request, response, callback, limits, matched);
    String where = here.route().method() + " " + here.route().path();
    @Nullable Exception failure = null;
    atWork.add(Thread.currentThread());
    try {
      here.route().endpoint().handle(exchange);
      exchange.finish();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = e;
    } catch (IOException | RuntimeException e) {
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
