package dev.cove.edge.file;

import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import dev.cove.guest.GuestLinkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.OptionalLong;

/** The routes that read files and change none, wherever the files are. */
public final class FileReading {
  private static final int PIECE = 64 * 1024;

  private final String root;
  private final OpenFiles.Source source;
  private final ListingBudget listings;

  /**
   * @param root the path that the routes are below
   */
  public FileReading(String root, OpenFiles.Source source, ListingBudget listings) {
    this.root = root;
    this.source = source;
    this.listings = listings;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", root, this::read).query("path", "offset", "length", "user"),
        Route.of("GET", root + "/stat", this::stat).query("path", "follow", "user"),
        Route.of("GET", root + "/list", this::list).query("path", "depth", "limit", "user"));
  }

  private void read(Exchange exchange) throws IOException {
    long offset = exchange.query().number("offset", 0, 0, Long.MAX_VALUE);
    long length = exchange.query().number("length", -1, 0, Long.MAX_VALUE);
    String path = path(exchange);
    try (OpenFiles open = source.open(exchange);
        FileContent content = open.files().read(path, offset, length)) {
      OptionalLong size = size(content.info().size(), offset, length);
      OutputStream out =
          exchange
              .withHeader("Content-Disposition", "attachment")
              .withHeader("Cache-Control", "no-store")
              .stream(200, "application/octet-stream", size);
      copy(content.stream(), out, size.orElse(Long.MAX_VALUE), size.isPresent());
    }
  }

  // Files of /proc say that they are empty and are not, so 0 is no size to rely on.
  private static OptionalLong size(long fileSize, long offset, long length) {
    if (fileSize == 0) {
      return OptionalLong.empty();
    }
    long rest = Math.max(0, fileSize - offset);
    return OptionalLong.of(length < 0 ? rest : Math.min(rest, length));
  }

  private static void copy(InputStream in, OutputStream out, long most, boolean exact)
      throws IOException {
    byte[] piece = new byte[PIECE];
    long left = most;
    while (left > 0) {
      int read = in.read(piece, 0, (int) Math.min(left, PIECE));
      if (read < 0) {
        break;
      }
      out.write(piece, 0, read);
      left -= read;
    }
    if (exact && left > 0) {
      // The length is promised already; only a broken connection tells the truth now.
      throw new GuestLinkException("The file became shorter while it was read");
    }
  }

  private void stat(Exchange exchange) {
    boolean follow = exchange.query().flag("follow", true);
    String path = path(exchange);
    try (OpenFiles open = source.open(exchange)) {
      exchange.send(200, FileBody.of(open.files().stat(path, follow)));
    }
  }

  private void list(Exchange exchange) throws IOException, InterruptedException {
    int depth = (int) exchange.query().number("depth", 1, 1, 16);
    int limit = (int) exchange.query().number("limit", 1_000, 1, 100_000);
    String path = path(exchange);
    try (OpenFiles open = source.open(exchange)) {
      if (limit <= ListingBudget.SHORT) {
        exchange.send(200, ListBody.of(open.files().list(path, depth, limit)));
        return;
      }
      listings.take();
      try {
        exchange.sendLong(200, ListBody.of(open.files().list(path, depth, limit)));
      } finally {
        listings.give();
      }
    }
  }

  private static String path(Exchange exchange) {
    return GuestPath.require("path", exchange.query().require("path"));
  }

  record ListBody(List<FileBody> items, boolean truncated) {
    static ListBody of(Listing listing) {
      return new ListBody(
          listing.entries().stream().map(FileBody::of).toList(), listing.truncated());
    }
  }
}
