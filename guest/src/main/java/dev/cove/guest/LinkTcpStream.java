package dev.cove.guest;

import java.io.InputStream;
import java.io.OutputStream;

/** A relayed connection over the link. */
final class LinkTcpStream implements TcpStream {
  private final LinkChannel channel;

  LinkTcpStream(LinkChannel channel) {
    this.channel = channel;
  }

  @Override
  public InputStream input() {
    return channel.out();
  }

  @Override
  public OutputStream output() {
    return channel.in();
  }

  @Override
  public boolean isIdle() {
    return channel.out().isIdle() && channel.in().isOpen();
  }

  @Override
  public void close() {
    channel.release();
  }
}
