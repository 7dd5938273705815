package dev.cove.edge.e2b.sandbox;

import dev.cove.control.project.Scope;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.util.List;

/** The caller's project, which E2B's command line calls a team. */
public final class TeamRoutes {
  public List<Route> routes() {
    return List.of(Route.of("GET", E2bDialect.ROOT + "/teams", this::list));
  }

  /**
   * @param apiKey the one that the caller came with: others are not known in full
   */
  record Team(String teamID, String name, String apiKey, boolean isDefault) {
    @Override
    public String toString() {
      return "Team[" + teamID + "]";
    }
  }

  private void list(Exchange exchange) {
    String project = Scope.here().value();
    String key =
        exchange
            .header("X-API-Key")
            .or(() -> exchange.header("Authorization").map(E2bDialect::bearer))
            .orElse("");
    exchange
        .withHeader("Cache-Control", "no-store")
        .send(200, List.of(new Team(project, project, key, true)));
  }
}
