package dev.cove.edge.file;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The routes of files, but for watching and archives. */
public final class FileRoutes {
  private static final int DEFAULT_FOLDER_MODE = 0755;

  private final String root;
  private final OpenFiles.Source source;
  private final FileReading reading;

  /**
   * @param root the path that the routes are below
   * @param readable where files come from that stay as they are
   * @param writable where files come from that change
   */
  public FileRoutes(
      String root, OpenFiles.Source readable, OpenFiles.Source writable, ListingBudget listings) {
    this.root = root;
    this.source = writable;
    this.reading = new FileReading(root, readable, listings);
  }

  public static FileRoutes ofSandboxes(SandboxLifecycle lifecycle, ListingBudget listings) {
    OpenFiles.Source source = exchange -> OpenFiles.of(SandboxFiles.of(lifecycle, exchange));
    return new FileRoutes(SandboxRoutes.ONE + "/files", source, source, listings);
  }

  public List<Route> routes() {
    var routes = new ArrayList<>(reading.routes());
    routes.addAll(writing());
    return List.copyOf(routes);
  }

  private List<Route> writing() {
    return List.of(
        Route.of("PUT", root, this::write).query("path", "mode", "parents", "user"),
        Route.of("DELETE", root, this::remove).query("path", "recursive", "user"),
        Route.of("POST", root + "/mkdir", this::mkdir).query("user"),
        Route.of("POST", root + "/move", this::move).query("user"),
        Route.of("POST", root + "/chmod", this::chmod).query("user"),
        Route.of("POST", root + "/symlink", this::symlink).query("user"));
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
    FileInfo written;
    try (OpenFiles open = source.open(exchange)) {
      written = open.files().write(path, exchange.body(), mode, parents);
    }
    exchange.send(200, FileBody.of(written));
  }

  private void remove(Exchange exchange) {
    boolean recursive = exchange.query().flag("recursive", false);
    String path = path(exchange);
    change(exchange, files -> files.remove(path, recursive));
  }

  private void mkdir(Exchange exchange) throws IOException {
    MkdirBody body = exchange.json(MkdirBody.class);
    String path = GuestPath.require("path", Fields.require("path", body.path()));
    int mode = body.mode() == null ? DEFAULT_FOLDER_MODE : FileMode.require("mode", body.mode());
    change(exchange, files -> files.mkdir(path, mode, Boolean.TRUE.equals(body.parents())));
  }

  private void move(Exchange exchange) throws IOException {
    MoveBody body = exchange.json(MoveBody.class);
    String from = GuestPath.require("from", Fields.require("from", body.from()));
    String to = GuestPath.require("to", Fields.require("to", body.to()));
    change(exchange, files -> files.move(from, to, Boolean.TRUE.equals(body.overwrite())));
  }

  private void chmod(Exchange exchange) throws IOException {
    ChmodBody body = exchange.json(ChmodBody.class);
    String path = GuestPath.require("path", Fields.require("path", body.path()));
    int mode = FileMode.require("mode", Fields.require("mode", body.mode()));
    change(exchange, files -> files.chmod(path, mode));
  }

  private void symlink(Exchange exchange) throws IOException {
    SymlinkBody body = exchange.json(SymlinkBody.class);
    String path = GuestPath.require("path", Fields.require("path", body.path()));
    String target = GuestPath.requireText("target", Fields.require("target", body.target()));
    change(exchange, files -> files.symlink(path, target));
  }

  /** Answers when the files are let go of: by then what was changed is there to stay. */
  private void change(Exchange exchange, Consumer<GuestFiles> change) {
    try (OpenFiles open = source.open(exchange)) {
      change.accept(open.files());
    }
    exchange.sendNothing(204);
  }

  private static String path(Exchange exchange) {
    return GuestPath.require("path", exchange.query().require("path"));
  }

  record MkdirBody(@Nullable String path, @Nullable String mode, @Nullable Boolean parents) {}

  record MoveBody(@Nullable String from, @Nullable String to, @Nullable Boolean overwrite) {}

  record ChmodBody(@Nullable String path, @Nullable String mode) {}

  record SymlinkBody(@Nullable String path, @Nullable String target) {}
}
