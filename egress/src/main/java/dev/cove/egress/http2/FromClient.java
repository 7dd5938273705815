package dev.cove.egress.http2;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Fields.Field;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;

/** What the client says. */
final class FromClient extends FrameListener {
  FromClient(Exchanges exchanges) {
    super(exchanges);
  }

  @Override
  Side side() {
    return exchanges.client;
  }

  @Override
  Optional<Exchange> find(int stream) {
    return Optional.ofNullable(exchanges.byClient.get(stream));
  }

  @Override
  Flow towards(Exchange exchange) {
    return exchange.down;
  }

  @Override
  void drainAll() {
    exchanges.drainDown();
  }

  @Override
  public void onHeaders(HeadersFrame frame) {
    BrokenException.attempt(() -> {
      int stream = frame.getStreamId();
      Optional<Exchange> exchange = find(stream);
      if (exchange.isEmpty() && frame.getMetaData() instanceof MetaData.Request head) {
        exchanges.open(stream, head, frame.isEndStream());
      } else if (exchange.isPresent()) {
        trail(exchange.get(), frame);
      }
    });
  }

  private void trail(Exchange exchange, HeadersFrame frame) throws IOException {
    boolean right =
        !frame.getMetaData().isRequest()
            && frame.isEndStream()
            && !exchange.up.hasEnded()
            && exchange.fits(0, true);
    if (!right) {
      exchanges.abort(exchange, ErrorCode.PROTOCOL_ERROR);
    } else if (exchange.serverStream == 0) {
      exchanges.collect(exchange, new byte[0], true);
    } else {
      try {
        List<Field> fields = Messages.fields(frame.getMetaData().getHttpFields());
        exchange.up.ended(Optional.of(Messages.trailers(fields)));
        exchange.up.drain();
        exchanges.removeIfDone(exchange);
      } catch (BadMessageException e) {
        exchanges.abort(exchange, ErrorCode.PROTOCOL_ERROR);
      }
    }
  }

  @Override
  public void onData(DataFrame frame) {
    BrokenException.attempt(() -> {
      exchanges.client.came(frame.flowControlLength());
      exchanges.client.used(frame.padding());
      byte[] bytes = bytes(frame);
      Optional<Exchange> found = find(frame.getStreamId());
      if (found.isEmpty()) {
        exchanges.client.used(bytes.length);
        if (frame.getStreamId() > exchanges.lastClientStream) {
          exchanges.fail(ErrorCode.PROTOCOL_ERROR.code);
        }
        return;
      }
      Exchange exchange = found.get();
      boolean last = frame.isEndStream();
      if (exchange.up.hasEnded() || !exchange.fits(bytes.length, last)) {
        exchanges.client.used(bytes.length);
        if (!exchange.cutShort) {
          exchanges.abort(exchange, ErrorCode.PROTOCOL_ERROR);
        }
      } else if (exchange.serverStream == 0) {
        exchanges.collect(exchange, bytes, last);
      } else {
        exchanges.requests.sent(bytes.length);
        exchange.up.came(bytes);
        if (last) {
          exchange.up.ended(Optional.empty());
        }
        exchange.up.drain();
        exchanges.removeIfDone(exchange);
      }
    });
  }

  @Override
  public void onReset(ResetFrame frame) {
    BrokenException.attempt(() -> {
      Optional<Exchange> exchange = find(frame.getStreamId());
      if (exchange.isPresent()) {
        if (exchange.get().serverStream > 0) {
          exchanges
              .server
              .orElseThrow()
              .send(new ResetFrame(exchange.get().serverStream, frame.getError()));
        }
        exchanges.remove(exchange.get());
        exchanges.countGivenUp();
      } else if (frame.getStreamId() > exchanges.lastClientStream) {
        exchanges.fail(ErrorCode.PROTOCOL_ERROR.code);
      }
    });
  }

  @Override
  public void onGoAway(GoAwayFrame frame) {
    exchanges.leaving = true;
    exchanges.endIfIdle();
  }

  @Override
  public void onStreamFailure(int stream, int error, String reason) {
    BrokenException.attempt(() -> {
      exchanges.lastClientStream = Math.max(exchanges.lastClientStream, stream);
      Optional<Exchange> exchange = find(stream);
      if (exchange.isPresent()) {
        exchanges.abort(exchange.get(), ErrorCode.PROTOCOL_ERROR);
      } else {
        exchanges.turnAway(stream, ErrorCode.PROTOCOL_ERROR);
      }
    });
  }
}
