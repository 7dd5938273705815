package dev.cove.egress.http2;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.UnreadableAnswerException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.PushPromiseFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;

/** What the server says. */
final class FromServer extends FrameListener {
  private final Side side;

  FromServer(Exchanges exchanges, Side side) {
    super(exchanges);
    this.side = side;
  }

  @Override
  Side side() {
    return side;
  }

  @Override
  Optional<Exchange> find(int stream) {
    return Optional.ofNullable(exchanges.byServer.get(stream));
  }

  @Override
  Flow towards(Exchange exchange) {
    return exchange.up;
  }

  @Override
  void drainAll() {
    exchanges.drainUp();
  }

  @Override
  public void onSettings(SettingsFrame frame) {
    Integer most = frame.getSettings().get(SettingsFrame.MAX_CONCURRENT_STREAMS);
    if (!frame.isReply() && most != null && most >= 0 && most < exchanges.maxStreams) {
      exchanges.maxStreams = most;
      BrokenException.attempt(() ->
          exchanges.client.send(
              new SettingsFrame(Map.of(SettingsFrame.MAX_CONCURRENT_STREAMS, most), false)));
    }
    super.onSettings(frame);
  }

  @Override
  public void onHeaders(HeadersFrame frame) {
    BrokenException.attempt(() -> {
      Optional<Exchange> found = find(frame.getStreamId());
      if (found.isEmpty()) {
        return;
      }
      Exchange exchange = found.get();
      try {
        if (frame.getMetaData() instanceof MetaData.Response head) {
          exchanges.answer(exchange, head, frame.isEndStream());
        } else {
          trail(exchange, frame);
        }
      } catch (UnreadableAnswerException e) {
        exchanges.replace(exchange, e.page());
      } catch (BadMessageException e) {
        exchanges.abort(exchange, ErrorCode.INTERNAL_ERROR);
      }
    });
  }

  private void trail(Exchange exchange, HeadersFrame frame) throws IOException {
    if (!exchange.answered || !frame.isEndStream() || exchange.down.hasEnded()) {
      exchanges.abort(exchange, ErrorCode.PROTOCOL_ERROR);
      return;
    }
    List<Field> fields = Messages.fields(frame.getMetaData().getHttpFields());
    List<Field> masked = exchange.edits.map(edits -> edits.answered(fields)).orElse(fields);
    exchange.down.ended(Optional.of(Messages.trailers(masked)));
    exchange.down.drain();
    exchanges.removeIfDone(exchange);
  }

  @Override
  public void onData(DataFrame frame) {
    BrokenException.attempt(() -> {
      side.came(frame.flowControlLength());
      side.used(frame.padding());
      byte[] bytes = bytes(frame);
      Optional<Exchange> found = find(frame.getStreamId());
      if (found.isEmpty()) {
        side.used(bytes.length);
        return;
      }
      Exchange exchange = found.get();
      if (!exchange.answered || exchange.down.hasEnded()) {
        side.used(bytes.length);
        exchanges.abort(exchange, ErrorCode.PROTOCOL_ERROR);
        return;
      }
      exchanges.requests.received(bytes.length);
      exchange.down.came(bytes);
      if (frame.isEndStream()) {
        exchange.down.ended(Optional.empty());
      }
      try {
        exchange.down.drain();
        exchanges.removeIfDone(exchange);
      } catch (BadMessageException e) {
        exchanges.abort(exchange, ErrorCode.INTERNAL_ERROR);
      }
    });
  }

  @Override
  public void onReset(ResetFrame frame) {
    BrokenException.attempt(() -> {
      Optional<Exchange> exchange = find(frame.getStreamId());
      if (exchange.isPresent() && exchange.get().down.hasEnded()) {
        exchange.get().cutShort = true;
        exchange.get().up.drop();
        exchanges.removeIfDone(exchange.get());
      } else if (exchange.isPresent()) {
        exchanges.client.send(new ResetFrame(exchange.get().clientStream, frame.getError()));
        exchanges.remove(exchange.get());
      }
    });
  }

  @Override
  public void onGoAway(GoAwayFrame frame) {
    BrokenException.attempt(() -> {
      exchanges.leaving = true;
      exchanges.client.goAway(exchanges.lastClientStream, ErrorCode.NO_ERROR.code);
      for (Exchange exchange : List.copyOf(exchanges.byServer.values())) {
        if (exchange.serverStream > frame.getLastStreamId()) {
          exchanges.client.reset(exchange.clientStream, ErrorCode.REFUSED_STREAM_ERROR);
          exchanges.remove(exchange);
        }
      }
      exchanges.endIfIdle();
    });
  }

  @Override
  public void onStreamFailure(int stream, int error, String reason) {
    BrokenException.attempt(() -> {
      Optional<Exchange> exchange = find(stream);
      if (exchange.isPresent()) {
        exchanges.abort(exchange.get(), ErrorCode.INTERNAL_ERROR);
      }
    });
  }

  @Override
  public void onPushPromise(PushPromiseFrame frame) {
    BrokenException.attempt(() -> exchanges.fail(ErrorCode.PROTOCOL_ERROR.code));
  }
}
