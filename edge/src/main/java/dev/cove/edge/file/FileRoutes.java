package dev.cove.edge.file;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.GuestFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The routes of files, but for watching and archives. */
public final class FileRoutes {
  private static final String FILES = SandboxRoutes.ONE + "/files";
  private static final int DEFAULT_FOLDER_MODE = 0755;

  private final SandboxLifecycle lifecycle;
  private final FileReading reading;

  public FileRoutes(SandboxLifecycle lifecycle, ListingBudget listings) {
    this.lifecycle = lifecycle;
    this.reading =
        new FileReading(
            FILES, exchange -> OpenFiles.of(SandboxFiles.of(lifecycle, exchange)), listings);
  }

  public List<Route> routes() {
    var routes = new ArrayList<>(reading.routes());
    routes.addAll(writing());
    return List.copyOf(routes);
  }

  private List<Route> writing() {
    return List.of(
        Route.of("PUT", FILES, this::write).query("path", "mode", "parents", "user"),
        Route.of("DELETE", FILES, this::remove).query("path", "recursive", "user"),
        Route.of("POST", FILES + "/mkdir", this::mkdir).query("user"),
        Route.of("POST", FILES + "/move", this::move).query("user"),
        Route.of("POST", FILES + "/chmod", this::chmod).query("user"),
        Route.of("POST", FILES + "/symlink", this::symlink).query("user"));
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

  record MkdirBody(@Nullable String path, @Nullable String mode, @Nullable Boolean parents) {}

  record MoveBody(@Nullable String from, @Nullable String to, @Nullable Boolean overwrite) {}

  record ChmodBody(@Nullable String path, @Nullable String mode) {}

  record SymlinkBody(@Nullable String path, @Nullable String target) {}
}
