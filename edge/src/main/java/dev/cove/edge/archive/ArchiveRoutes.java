package dev.cove.edge.archive;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.file.GuestPath;
import dev.cove.edge.file.SandboxFiles;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.model.ErrorCode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.Deflater;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/** Folders as tar.gz, up and down. */
public final class ArchiveRoutes {
  private static final String ARCHIVE = SandboxRoutes.ONE + "/files/archive";
  private static final int BUFFER = 64 * 1024;

  private final SandboxLifecycle lifecycle;

  public ArchiveRoutes(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", ARCHIVE, this::pack).query("path", "user"),
        Route.of("PUT", ARCHIVE, this::unpack).query("path", "user"));
  }

  private void pack(Exchange exchange) throws IOException {
    pack(exchange, SandboxFiles.of(lifecycle, exchange));
  }

  /** Sends what a request's path names, from files of whatever kind. */
  public static void pack(Exchange exchange, GuestFiles files) throws IOException {
    String path = path(exchange);
    FileInfo root = files.stat(path, true);
    OutputStream out =
        exchange
            .withHeader("Content-Disposition", "attachment")
            .withHeader("Cache-Control", "no-store")
            .stream(200, "application/gzip", OptionalLong.empty());
    // Ended only when all went well: a proper end would make half an archive look whole.
    var gzip = new GzipCompressorOutputStream(new BufferedOutputStream(out, BUFFER), fast());
    var packing = new Packing(files, gzip);
    exchange.trailer("Cove-Left-Out", () -> Integer.toString(packing.leftOut()));
    packing.run(path, root);
    gzip.close();
  }

  private static GzipParameters fast() {
    var parameters = new GzipParameters();
    parameters.setCompressionLevel(Deflater.BEST_SPEED);
    return parameters;
  }

  private void unpack(Exchange exchange) throws IOException {
    String path = path(exchange);
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    GuestFiles files = SandboxFiles.of(lifecycle, exchange);
    makeBase(files, path);
    long room = sandbox.spec().resources().diskMb() * 1024L * 1024L;
    try (var tar = new GunzippedInput(exchange.body())) {
      exchange.send(200, new Unpacking(files, path, room).run(tar));
    }
  }

  private static void makeBase(GuestFiles files, String path) {
    try {
      if (files.stat(path, true).type() != FileInfo.Type.FOLDER) {
        throw new IllegalArgumentException("path is not a folder");
      }
    } catch (GuestException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      files.mkdir(path, 0755, true);
    }
  }

  private static String path(Exchange exchange) {
    return GuestPath.require("path", exchange.query().require("path"));
  }
}
