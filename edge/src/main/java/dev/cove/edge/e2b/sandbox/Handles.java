package dev.cove.edge.e2b.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.port.PortNames;

/** What a client needs to use a sandbox. */
public final class Handles {
  private final Envd envd;
  private final PortNames names;

  public Handles(Envd envd, PortNames names) {
    this.envd = envd;
    this.names = names;
  }

  /**
   * @param domain below which its ports have names; with the port by which the caller reached us
   */
  record Handle(
      String sandboxID,
      String templateID,
      String clientID,
      String envdVersion,
      String envdAccessToken,
      String trafficAccessToken,
      String domain) {
    @Override
    public String toString() {
      return "Handle[" + sandboxID + "]";
    }
  }

  Handle of(Exchange exchange, Sandbox sandbox) {
    return new Handle(
        sandbox.id().value(),
        TemplateNames.shown(sandbox.spec().template().name()),
        Bodies.CLIENT,
        Envd.VERSION,
        envd.token(sandbox.id()),
        envd.trafficToken(sandbox.id()),
        names.domainFor(exchange.authority()));
  }
}
