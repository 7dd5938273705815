package dev.cove.egress.http2;

import dev.cove.egress.http.Edits;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import org.eclipse.jetty.http.MetaData;

/** A request and its answer: a stream on each side. */
final class Exchange {
  static final long UNKNOWN = -1;

  final int clientStream;
  final Optional<Edits> edits;
  final MetaData.Request request;
  final Flow up;
  final Flow down;

  /** The body of a request that is wanted whole, until it is. */
  final ByteArrayOutputStream whole = new ByteArrayOutputStream();

  /** 0 until the request goes out. */
  int serverStream;

  boolean answered;

  /** The server wants no more of the request; the client hears of it behind the answer. */
  boolean cutShort;

  private long left;

  Exchange(int clientStream, MetaData.Request request, Optional<Edits> edits, Flow up, Flow down) {
    this.clientStream = clientStream;
    this.request = request;
    this.edits = edits;
    this.up = up;
    this.down = down;
    this.left = request.getContentLength();
  }

  boolean wantsWhole() {
    return edits.map(Edits::changesBody).orElse(false);
  }

  /** Whether the body of the request is still as long as its head says. */
  boolean fits(int bytes, boolean last) {
    if (left == UNKNOWN) {
      return true;
    }
    left -= bytes;
    return last ? left == 0 : left >= 0;
  }
}
