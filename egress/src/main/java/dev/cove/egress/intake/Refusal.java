package dev.cove.egress.intake;

import dev.cove.egress.http.Page;
import dev.cove.egress.http.RequestHead;
import dev.cove.egress.relay.Connection;
import dev.cove.egress.relay.Inflow;
import dev.cove.egress.relay.Pump;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Ends a connection that may not be, quickly, and in words that its program understands if it
 * speaks soon.
 */
final class Refusal {
  private static final Duration TIME_TO_SPEAK = Duration.ofMillis(300);
  private static final int HANDSHAKE = 22;

  /** Fatal, access denied; in the record version that every client reads. */
  private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 49};

  private final Connection connection;
  private final Inflow in;

  Refusal(Connection connection, Inflow in) {
    this.connection = connection;
    this.in = in;
  }

  /** To a connection that may have said nothing yet. */
  void send(Page page) throws IOException {
    FirstBytes.Kind kind = new FirstBytes(in, TIME_TO_SPEAK).read(TIME_TO_SPEAK);
    if (kind instanceof FirstBytes.Kind.Http) {
      sendPage(page, wantsJson());
    } else if (in.available() > 0 && in.peek(0) == HANDSHAKE) {
      sendAlert();
    } else {
      connection.cut();
    }
  }

  private boolean wantsJson() {
    try {
      return RequestHead.read(in, TIME_TO_SPEAK).map(RequestHead::wantsJson).orElse(false);
    } catch (IOException e) {
      // What he sends is no request in every respect; he gets the plain page.
      return false;
    }
  }

  void sendPage(Page page, boolean json) throws IOException {
    finish(page.bytes(json));
  }

  void sendAlert() throws IOException {
    finish(ALERT.clone());
  }

  private void finish(byte[] lastWords) throws IOException {
    Pump.write(connection.client(), ByteBuffer.wrap(lastWords));
    connection.client().shutdownOutput();
    in.hearOut();
    connection.close();
  }
}
