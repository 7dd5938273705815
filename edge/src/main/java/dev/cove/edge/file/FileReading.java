package dev.cove.edge.file;

import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import java.io.IOException;
import java.util.List;

/** The routes that read files and change none, wherever the files are. */
public final class FileReading {
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
      exchange
          .withHeader("Content-Disposition", "attachment")
          .withHeader("Cache-Control", "no-store");
      FileSending.send(exchange, 200, content, offset, length);
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
