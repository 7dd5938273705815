package dev.cove.edge.e2b.volume;

import dev.cove.control.volume.OpenVolume;
import dev.cove.control.volume.Volume;
import dev.cove.control.volume.Volumes;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.file.FileSending;
import dev.cove.edge.file.FilesBelow;
import dev.cove.edge.file.GuestPath;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.Route;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The files of a volume, without a sandbox, for whoever has the volume's token. */
final class ContentRoutes {
  private static final String ROOT = E2bDialect.ROOT + "/volumecontent/{volume}";
  private static final int MAX_ENTRIES = 5_000;
  private static final int MAX_DEPTH = 64;
  private static final int FOLDER_MODE = 0755;
  private static final int MAX_MODE = 07777;
  private static final long USER = 1_000;

  private final Volumes volumes;
  private final VolumeTokens tokens;

  ContentRoutes(Volumes volumes, VolumeTokens tokens) {
    this.volumes = volumes;
    this.tokens = tokens;
  }

  List<Route> routes() {
    return List.of(
        Route.of("GET", ROOT + "/path", this::show).query("path").openToAll(),
        Route.of("PATCH", ROOT + "/path", this::change).query("path").openToAll(),
        Route.of("DELETE", ROOT + "/path", this::remove).query("path").openToAll(),
        Route.of("GET", ROOT + "/dir", this::list).query("path", "depth").openToAll(),
        Route.of("POST", ROOT + "/dir", this::makeFolder)
            .query("path", "uid", "gid", "mode", "force")
            .openToAll(),
        Route.of("GET", ROOT + "/file", this::read).query("path").openToAll(),
        Route.of("PUT", ROOT + "/file", this::write)
            .query("path", "uid", "gid", "mode", "force")
            .openToAll());
  }

  /** The volume that a request is about, for as long as it is being answered. */
  private record Visit(OpenVolume volume, GuestFiles files, String path) implements AutoCloseable {
    @Override
    public void close() {
      volume.close();
    }
  }

  private Visit visit(Exchange exchange, boolean readOnly) {
    Volume volume = VolumeRoutes.named(volumes, exchange);
    tokens.require(exchange, volume);
    String asked = exchange.query().require("path");
    String path = GuestPath.require("path", asked.startsWith("/") ? asked : "/" + asked);
    String user = user(exchange);
    OpenVolume open = volumes.open(volume.id().value(), readOnly);
    boolean handedOn = false;
    try {
      var visit = new Visit(open, new FilesBelow(open.files(user), open.folder()), path);
      handedOn = true;
      return visit;
    } finally {
      if (!handedOn) {
        open.close();
      }
    }
  }

  /** Whoever makes a file owns it, and the only ones here are root and the usual user. */
  private static String user(Exchange exchange) {
    long uid = exchange.query().number("uid", 0, 0, Integer.MAX_VALUE);
    long gid = exchange.query().number("gid", uid, 0, Integer.MAX_VALUE);
    if (uid != gid || (uid != 0 && uid != USER)) {
      throw new IllegalArgumentException("uid and gid are both 0 or both %d here".formatted(USER));
    }
    return uid == 0 ? "root" : CommandSpec.DEFAULT_USER;
  }

  private void show(Exchange exchange) {
    try (Visit visit = visit(exchange, true)) {
      exchange.send(200, Entry.of(visit.files().stat(visit.path(), false)));
    }
  }

  record ChangeBody(@Nullable Long uid, @Nullable Long gid, @Nullable Integer mode) {}

  private void change(Exchange exchange) throws IOException {
    ChangeBody body = exchange.looseJson(ChangeBody.class);
    try (Visit visit = visit(exchange, false)) {
      FileInfo before = visit.files().stat(visit.path(), false);
      boolean sameOwner =
          (body.uid() == null || body.uid() == before.uid())
              && (body.gid() == null || body.gid() == before.gid());
      if (!sameOwner) {
        throw new IllegalArgumentException(
            "Owners of files in a volume can not be changed from outside a sandbox");
      }
      if (body.mode() != null) {
        visit.files().chmod(visit.path(), requireMode(body.mode()));
      }
      exchange.send(200, Entry.of(visit.files().stat(visit.path(), false)));
    }
  }

  private static int requireMode(long mode) {
    if (mode < 0 || mode > MAX_MODE) {
      throw new IllegalArgumentException("mode must be between 0 and %d".formatted(MAX_MODE));
    }
    return (int) mode;
  }

  private void remove(Exchange exchange) {
    try (Visit visit = visit(exchange, false)) {
      visit.files().remove(visit.path(), true);
    }
    exchange.sendNothing(204);
  }

  private void list(Exchange exchange) {
    int depth = (int) exchange.query().number("depth", 1, 1, MAX_DEPTH);
    try (Visit visit = visit(exchange, true)) {
      Listing found = visit.files().list(visit.path(), depth, MAX_ENTRIES);
      if (found.truncated()) {
        throw new HttpRefusal(
            413, ErrorCode.TOO_LARGE, "There are more than %d entries".formatted(MAX_ENTRIES));
      }
      exchange.send(
          200,
          found.entries().stream()
              .sorted(Comparator.comparing(FileInfo::path))
              .map(Entry::of)
              .toList());
    }
  }

  private void makeFolder(Exchange exchange) {
    boolean force = exchange.query().flag("force", false);
    int mode = requireMode(exchange.query().number("mode", FOLDER_MODE, 0, MAX_MODE));
    Entry made;
    try (Visit visit = visit(exchange, false)) {
      if (!force || !isFolder(visit)) {
        visit.files().mkdir(visit.path(), mode, force);
      }
      made = Entry.of(visit.files().stat(visit.path(), false));
    }
    exchange.send(201, made);
  }

  private static boolean isFolder(Visit visit) {
    try {
      return visit.files().stat(visit.path(), true).type() == FileInfo.Type.FOLDER;
    } catch (GuestException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private void read(Exchange exchange) throws IOException {
    try (Visit visit = visit(exchange, true);
        FileContent content = visit.files().read(visit.path(), 0, -1)) {
      exchange.withHeader("Cache-Control", "no-store");
      FileSending.send(exchange, 200, content, 0, -1);
    }
  }

  private void write(Exchange exchange) {
    Optional<String> mode = exchange.query().find("mode");
    OptionalInt wanted =
        mode.isEmpty()
            ? OptionalInt.empty()
            : OptionalInt.of(requireMode(exchange.query().number("mode", 0, 0, MAX_MODE)));
    boolean force = exchange.query().flag("force", true);
    Entry written;
    try (Visit visit = visit(exchange, false)) {
      written = Entry.of(visit.files().write(visit.path(), exchange.body(), wanted, force));
    }
    exchange.send(201, written);
  }

  /** A file, as it is told; of its times only the last change is known. */
  record Entry(
      String name,
      String type,
      String path,
      long size,
      int mode,
      int uid,
      int gid,
      Instant atime,
      Instant mtime,
      Instant ctime,
      Optional<String> target) {
    static Entry of(FileInfo info) {
      String type =
          switch (info.type()) {
            case FILE, SYMLINK -> info.type().name().toLowerCase(Locale.ROOT);
            case FOLDER -> "directory";
            case OTHER -> "unknown";
          };
      return new Entry(
          info.path().substring(info.path().lastIndexOf('/') + 1),
          type,
          info.path(),
          info.size(),
          info.mode(),
          info.uid(),
          info.gid(),
          info.modifiedAt(),
          info.modifiedAt(),
          info.modifiedAt(),
          info.linkTarget().isEmpty() ? Optional.empty() : Optional.of(info.linkTarget()));
    }
  }
}
