package dev.cove.edge.http;

import java.io.IOException;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes connections, one acceptor and one selector. Where the host gives no descriptor for one, it
 * says so once, and tries again in a moment for as long as that lasts.
 */
final class ListeningSocket extends ServerConnector {
  private static final Logger LOG = LoggerFactory.getLogger(ListeningSocket.class);
  private static final long PAUSE_MILLIS = 250;

  private volatile boolean refused;

  ListeningSocket(Server server, ConnectionFactory... factories) {
    super(server, 1, 1, factories);
  }

  @Override
  public void accept(int acceptorId) throws IOException {
    super.accept(acceptorId);
    if (refused) {
      refused = false;
      LOG.info("Connections are accepted again");
    }
  }

  @Override
  protected boolean handleAcceptFailure(Throwable failure) {
    if (!isRunning() || !(failure instanceof IOException) || !isOpen()) {
      return super.handleAcceptFailure(failure);
    }
    if (!refused) {
      refused = true;
      LOG.warn("No connection can be accepted for now: {}", failure.getMessage());
    }
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException _) {
      return false; // it is being closed
    }
  }
}
