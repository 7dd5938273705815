package dev.cove.edge.file;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import dev.cove.guest.GuestLinkException;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The routes of files, but for watching and archives. */
public final class FileRoutes {
  private static final String FILES = SandboxRoutes.ONE + "/files";
  private static final int PIECE = 64 * 1024;
  private static final int DEFAULT_FOLDER_MODE = 0755;

  /** Longer listings take tens of megabytes, so only a few are made at a time. */
  private static final int SHORT_LISTING = 5_000;

  private static final int LONG_LISTINGS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SandboxLifecycle lifecycle;
  private final Semaphore longListings = new Semaphore(LONG_LISTINGS);

  public FileRoutes(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", FILES, this::read).query("path", "offset", "length", "user"),
        Route.of("PUT", FILES, this::write).query("path", "mode", "parents", "user"),
        Route.of("DELETE", FILES, this::remove).query("path", "recursive", "user"),
        Route.of("GET", FILES + "/stat", this::stat).query("path", "follow", "user"),
        Route.of("GET", FILES + "/list", this::list).query("path", "depth", "limit", "user"),
        Route.of("POST", FILES + "/mkdir", this::mkdir).query("user"),
        Route.of("POST", FILES + "/move", this::move).query("user"),
        Route.of("POST", FILES + "/chmod", this::chmod).query("user"),
        Route.of("POST", FILES + "/symlink", this::symlink).query("user"));
  }

  private void read(Exchange exchange) throws IOException {
    long offset = exchange.query().number("offset", 0, 0, Long.MAX_VALUE);
    long length = exchange.query().number("length", -1, 0, Long.MAX_VALUE);
    try (FileContent content = files(exchange).read(path(exchange), offset, length)) {
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

  private void write(Exchange exchange) {
    OptionalInt mode =
        exchange
            .query()
            .find("mode")
            .map(text -> OptionalInt.of(FileMode.require("mode", text)))
            .orElse(OptionalInt.empty());
    boolean parents = exchange.query().flag("parents", false);
    String path = path(exchange);
    GuestFiles files = files(exchange);
    exchange.send(200, FileBody.of(files.write(path, exchange.body(), mode, parents)));
  }

  private void remove(Exchange exchange) {
    boolean recursive = exchange.query().flag("recursive", false);
    files(exchange).remove(path(exchange), recursive);
    exchange.sendNothing(204);
  }

  private void stat(Exchange exchange) {
    boolean follow = exchange.query().flag("follow", true);
    exchange.send(200, FileBody.of(files(exchange).stat(path(exchange), follow)));
  }

  private void list(Exchange exchange) throws IOException, InterruptedException {
    int depth = (int) exchange.query().number("depth", 1, 1, 16);
    int limit = (int) exchange.query().number("limit", 1_000, 1, 100_000);
    String path = path(exchange);
    if (limit <= SHORT_LISTING) {
      exchange.send(200, ListBody.of(files(exchange).list(path, depth, limit)));
      return;
    }
    if (!longListings.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "Too many long listings are being made at once; try again later");
    }
    try {
      exchange.sendLong(200, ListBody.of(files(exchange).list(path, depth, limit)));
    } finally {
      longListings.release();
    }
  }

  private void mkdir(Exchange exchange) throws IOException {
    MkdirBody body = exchange.json(MkdirBody.class);
    String path = GuestPath.require("path", Fields.require("path", body.path()));
    int mode = body.mode() == null ? DEFAULT_FOLDER_MODE : FileMode.require("mode", body.mode());
    files(exchange).mkdir(path, mode, Boolean.TRUE.equals(body.parents()));
    exchange.sendNothing(204);
  }

  private void move(Exchange exchange) throws IOException {
    MoveBody body = exchange.json(MoveBody.class);
    String from = GuestPath.require("from", Fields.require("from", body.from()));
    String to = GuestPath.require("to", Fields.require("to", body.to()));
    files(exchange).move(from, to, Boolean.TRUE.equals(body.overwrite()));
    exchange.sendNothing(204);
  }

  private void chmod(Exchange exchange) throws IOException {
    ChmodBody body = exchange.json(ChmodBody.class);
    String path = GuestPath.require("path", Fields.require("path", body.path()));
    int mode = FileMode.require("mode", Fields.require("mode", body.mode()));
    files(exchange).chmod(path, mode);
    exchange.sendNothing(204);
  }

  private void symlink(Exchange exchange) throws IOException {
    SymlinkBody body = exchange.json(SymlinkBody.class);
    String path = GuestPath.require("path", Fields.require("path", body.path()));
    String target = GuestPath.requireText("target", Fields.require("target", body.target()));
    files(exchange).symlink(path, target);
    exchange.sendNothing(204);
  }

  private GuestFiles files(Exchange exchange) {
    return SandboxFiles.of(lifecycle, exchange);
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

  record MkdirBody(@Nullable String path, @Nullable String mode, @Nullable Boolean parents) {}

  record MoveBody(@Nullable String from, @Nullable String to, @Nullable Boolean overwrite) {}

  record ChmodBody(@Nullable String path, @Nullable String mode) {}

  record SymlinkBody(@Nullable String path, @Nullable String target) {}
}
