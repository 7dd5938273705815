package dev.cove.edge.key;

import dev.cove.control.key.ApiKey;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.Issued;
import dev.cove.control.project.Projects;
import dev.cove.control.project.Scope;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The routes of API keys. */
public final class KeyRoutes {
  private static final String ALL = "/api/v1/keys";

  private final ApiKeys keys;
  private final Projects projects;

  public KeyRoutes(ApiKeys keys, Projects projects) {
    this.keys = keys;
    this.projects = projects;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::issue),
        Route.of("GET", ALL, this::list).query("project"),
        Route.of("DELETE", ALL + "/{key}", this::revoke));
  }

  private void issue(Exchange exchange) throws IOException {
    IssueBody body = exchange.json(IssueBody.class);
    String name = Fields.require("name", body.name());
    Issued issued = keys.issue(name, project(body));
    ApiKey key = issued.key();
    exchange
        .withHeader("Cache-Control", "no-store")
        .send(
            201,
            new IssuedBody(
                key.id(),
                key.name(),
                key.project().map(ProjectName::value),
                issued.secret(),
                key.createdAt()));
  }

  /**
   * Whose key is wanted: the caller's own project's where it is not an operator, who gets one like
   * his own unless he names a project, here or as where he acts.
   */
  private Optional<ProjectName> project(IssueBody body) {
    Scope scope = Scope.current();
    if (body.project() == null) {
      return Optional.of(Scope.here()).filter(here -> !scope.operator() || !here.isDefault());
    }
    if (!scope.operator() && !body.project().equals(Scope.here().value())) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such project.");
    }
    return Optional.of(projects.require(body.project()).name());
  }

  private void list(Exchange exchange) {
    exchange.send(200, new ListBody(keys.list().stream().map(KeyBody::of).toList()));
  }

  private void revoke(Exchange exchange) {
    keys.revoke(exchange.path("key"));
    exchange.sendNothing(204);
  }

  record IssueBody(@Nullable String name, @Nullable String project) {}

  record IssuedBody(
      String id, String name, Optional<String> project, String key, Instant createdAt) {
    @Override
    public String toString() {
      return "IssuedBody[" + id + "]";
    }
  }

  record ListBody(List<KeyBody> items) {}

  record KeyBody(
      String id,
      String name,
      Optional<String> project,
      String last4,
      Instant createdAt,
      Optional<Instant> lastUsedAt,
      Optional<Instant> revokedAt) {
    static KeyBody of(ApiKey key) {
      return new KeyBody(
          key.id(),
          key.name(),
          key.project().map(ProjectName::value),
          key.last4(),
          key.createdAt(),
          key.lastUsedAt(),
          key.revokedAt());
    }
  }
}
