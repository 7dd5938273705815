package dev.cove.egress.http2;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.http2.parser.ServerParser;

/** What both sides say in the same way. */
abstract class FrameListener implements ServerParser.Listener {
  final Exchanges exchanges;

  FrameListener(Exchanges exchanges) {
    this.exchanges = exchanges;
  }

  abstract Side side();

  abstract Optional<Exchange> find(int stream);

  /** The way to this side. */
  abstract Flow towards(Exchange exchange);

  abstract void drainAll() throws IOException;

  @Override
  public void onPreface() {}

  @Override
  public void onSettings(SettingsFrame frame) {
    BrokenException.attempt(() -> {
      if (frame.isReply()) {
        return;
      }
      int change = side().obey(frame.getSettings());
      for (Exchange exchange : exchanges.byClient.values()) {
        towards(exchange).widen(change);
      }
      side().send(new SettingsFrame(Map.of(), true));
      drainAll();
    });
  }

  @Override
  public void onPing(PingFrame frame) {
    BrokenException.attempt(() -> {
      if (!frame.isReply()) {
        side().send(new PingFrame(frame.getPayload(), true));
      }
    });
  }

  @Override
  public void onWindowUpdate(WindowUpdateFrame frame) {
    BrokenException.attempt(() -> {
      if (frame.getStreamId() == 0) {
        side().widen(frame.getWindowDelta());
        drainAll();
        return;
      }
      Optional<Exchange> exchange = find(frame.getStreamId());
      if (exchange.isPresent()) {
        towards(exchange.get()).widen(frame.getWindowDelta());
        towards(exchange.get()).drain();
        exchanges.removeIfDone(exchange.get());
      }
    });
  }

  @Override
  public void onConnectionFailure(int error, String reason) {
    BrokenException.attempt(() -> exchanges.fail(error));
  }

  static byte[] bytes(DataFrame frame) {
    byte[] bytes = new byte[frame.getByteBuffer().remaining()];
    frame.getByteBuffer().get(bytes);
    return bytes;
  }
}
