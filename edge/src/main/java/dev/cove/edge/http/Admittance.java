package dev.cove.edge.http;

import dev.cove.control.project.Projects;
import dev.cove.control.project.Scope;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;

/**
 * Where a request acts: in the project of its key, or, with an operator's, in the one that it
 * names. To anybody else, other projects do not exist.
 */
final class Admittance {
  static final String HEADER = "Cove-Project";
  static final String QUERY = "project";
  private static final String ALL = "*";

  private final Projects projects;

  Admittance(Projects projects) {
    this.projects = projects;
  }

  Scope admit(Caller caller, Route route, HttpFields headers, Query query) {
    Optional<String> asked = asked(headers, query);
    if (caller.project().isPresent()) {
      return ofTenant(caller.project().get(), route, asked);
    }
    if (asked.equals(Optional.of(ALL))) {
      if (!route.query().contains(QUERY)) {
        throw new CoveException(
            ErrorCode.INVALID_REQUEST,
            "Of all projects at once, sandboxes, events and keys can be listed, and nothing else.");
      }
      return Scope.EVERYTHING;
    }
    return Scope.ofOperator(
        asked.map(name -> projects.require(name).name()).orElse(ProjectName.DEFAULT));
  }

  private Scope ofTenant(ProjectName own, Route route, Optional<String> asked) {
    if (asked.isPresent() && !asked.get().equals(own.value())) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such project.");
    }
    if (route.operators()) {
      throw new CoveException(
          ErrorCode.FORBIDDEN,
          "This is for operators, and the key is project %s's.".formatted(own));
    }
    return Scope.ofTenant(own);
  }

  private static Optional<String> asked(HttpFields headers, Query query) {
    List<String> named = headers.getValuesList(HEADER);
    if (named.size() > 1) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "Header %s is given more than once.".formatted(HEADER));
    }
    // A project of the host is named by its target, with a slash first, which no tenant's name has.
    Optional<String> wanted = query.find(QUERY).filter(name -> !name.startsWith("/"));
    if (wanted.isPresent() && !named.isEmpty() && !named.getFirst().equals(wanted.get())) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "Header %s and query parameter %s name different projects.".formatted(HEADER, QUERY));
    }
    return wanted.or(() -> named.stream().findFirst());
  }
}
