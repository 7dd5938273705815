package dev.cove.edge.file;

import dev.cove.edge.http.Exchange;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestLinkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;

/** Sends what is in a file, as it is read. */
public final class FileSending {
  private static final String TYPE = "application/octet-stream";
  private static final int PIECE = 64 * 1024;

  private FileSending() {}

  /**
   * @param offset from where {@code content} was asked for
   * @param length how much of it was, -1 for all
   */
  public static void send(
      Exchange exchange, int status, FileContent content, long offset, long length)
      throws IOException {
    InputStream in = content.stream();
    byte[] piece = new byte[PIECE];
    long size = content.info().size();
    if (size > 0) {
      long rest = Math.max(0, size - offset);
      long exact = length < 0 ? rest : Math.min(rest, length);
      if (exact <= PIECE && status == 200) {
        // One that somebody is just writing may be shorter by now; what is short is looked at
        // first.
        exchange.send(status, TYPE, in.readNBytes((int) exact));
        return;
      }
      copy(in, exchange.stream(status, TYPE, OptionalLong.of(exact)), piece, exact);
      return;
    }
    // Files of /proc say that they are empty and are not; one that is says so by its length.
    int first = in.read(piece);
    OptionalLong none = first < 0 ? OptionalLong.of(0) : OptionalLong.empty();
    OutputStream out = exchange.stream(status, TYPE, none);
    for (int read = first; read >= 0; read = in.read(piece)) {
      out.write(piece, 0, read);
    }
  }

  private static void copy(InputStream in, OutputStream out, byte[] piece, long exact)
      throws IOException {
    long left = exact;
    while (left > 0) {
      int read = in.read(piece, 0, (int) Math.min(left, PIECE));
      if (read < 0) {
        // The length is promised already; only a broken connection tells the truth now.
        throw new GuestLinkException("The file became shorter while it was read");
      }
      out.write(piece, 0, read);
      left -= read;
    }
  }
}
