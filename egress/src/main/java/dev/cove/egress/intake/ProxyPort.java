package dev.cove.egress.intake;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RequestHead;
import dev.cove.egress.log.Account;
import dev.cove.egress.relay.Connection;
import dev.cove.egress.relay.Inflow;
import dev.cove.model.network.Destination;
import java.util.Optional;

/**
 * The proxy for programs that insist on one. It only finds out where they want to go; from then on
 * all is as if they had gone there themselves.
 */
final class ProxyPort {
  private final Services services;

  ProxyPort(Services services) {
    this.services = services;
  }

  void serve(Connection connection, Account account) throws Exception {
    var in = new Inflow(connection.client());
    try {
      Optional<RequestHead> request = RequestHead.read(in, services.headPatience());
      if (request.isPresent()) {
        serve(request.get(), connection, account, in);
      }
    } catch (BadMessageException e) {
      new Refusal(connection, in).sendPage(Page.bad(e.what()), false);
    }
  }

  private void serve(RequestHead request, Connection connection, Account account, Inflow in)
      throws Exception {
    Destination destination = request.proxied();
    var carriage = new Carriage(services, connection, account, in, destination);
    if (request.method().equals("CONNECT")) {
      carriage.tunnel();
    } else if (!request.isFor(destination)) {
      new Refusal(connection, in).sendPage(Page.misdirected(destination.toString()), false);
    } else {
      in.putBack(request.direct(destination));
      carriage.direct();
    }
  }
}
