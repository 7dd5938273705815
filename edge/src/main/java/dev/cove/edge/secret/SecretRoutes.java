package dev.cove.edge.secret;

import dev.cove.control.project.Scope;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.node.NodeSecrets;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** The routes of secrets, and of where a sandbox uses them. */
public final class SecretRoutes {
  private static final String ALL = "/api/v1/secrets";
  private static final String ONE = ALL + "/{secret}";
  private static final String BOUND = SandboxRoutes.ONE + "/secrets";
  private static final int MAX_VALUE = 64 << 10;

  private final SandboxLifecycle lifecycle;
  private final NodeSecrets secrets;

  public SecretRoutes(SandboxLifecycle lifecycle, NodeSecrets secrets) {
    this.lifecycle = lifecycle;
    this.secrets = secrets;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", ALL, this::list),
        Route.of("PUT", ONE, this::set),
        Route.of("DELETE", ONE, this::delete),
        Route.of("GET", BOUND, this::show),
        Route.of("PUT", BOUND, this::bind));
  }

  private void list(Exchange exchange) {
    exchange.send(
        200, new Items<>(secrets.list(Scope.here()).stream().map(SecretBody::of).toList()));
  }

  private void set(Exchange exchange) throws IOException {
    SecretName name = nameOf(exchange.path("secret"));
    byte[] value = exchange.body().readNBytes(MAX_VALUE + 1);
    if (value.length > MAX_VALUE) {
      throw new CoveException(
          ErrorCode.TOO_LARGE, "A secret may have at most %d bytes".formatted(MAX_VALUE));
    }
    NodeSecrets.Change change = secrets.set(name, value);
    exchange.send(change.made() ? 201 : 200, SecretBody.of(change.secret()));
  }

  private void delete(Exchange exchange) {
    SecretName name = nameOf(exchange.path("secret"));
    if (!secrets.remove(name)) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no secret " + name.value());
    }
    exchange.sendNothing(204);
  }

  private void show(Exchange exchange) {
    send(exchange, lifecycle.require(exchange.path("box")));
  }

  private void bind(Exchange exchange) throws IOException {
    List<SecretBinding> wanted =
        BindingBody.allOf("items", exchange.json(BindingBody.Bindings.class).items());
    send(exchange, lifecycle.changeNetwork(exchange.path("box"), now -> now.with(wanted)));
  }

  private static void send(Exchange exchange, Sandbox sandbox) {
    List<SecretBinding> bindings = sandbox.spec().network().secrets();
    exchange.send(200, new Items<>(bindings.stream().map(BindingBody.Shown::of).toList()));
  }

  /** Does not repeat what is no name: it may be a value, given in the wrong place. */
  static SecretName nameOf(String text) {
    return new SecretName(Scope.here(), text);
  }

  record Items<T>(List<T> items) {}

  record SecretBody(String name, Instant createdAt, Instant updatedAt) {
    static SecretBody of(NodeSecrets.Kept kept) {
      return new SecretBody(kept.name().value(), kept.createdAt(), kept.updatedAt());
    }
  }
}
