package dev.cove.edge.e2b.file;

import com.fasterxml.jackson.annotation.JsonAlias;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.rpc.Rpc;
import dev.cove.edge.e2b.rpc.Rpc.Call;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.edge.file.ListingBudget;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestFiles.Listing;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** E2B's service {@code filesystem.Filesystem}. */
public final class FilesystemRoutes {
  private static final int MAX_ENTRIES = 100_000;
  private static final int MAX_DEPTH = 64;
  private static final Comparator<String> IN_STEPS =
      Comparator.comparing(path -> path.split("/"), Arrays::compare);

  private final Envd envd;
  private final ListingBudget listings;
  private final Watching watching;
  private final Watchers watchers;

  public FilesystemRoutes(Envd envd, SandboxLifecycle lifecycle, ListingBudget listings) {
    this.envd = envd;
    this.listings = listings;
    this.watching = new Watching(envd);
    this.watchers = new Watchers(lifecycle);
  }

  public List<Route> routes() {
    var rpc = new Rpc(envd, "filesystem.Filesystem");
    return List.of(
        rpc.unary("Stat", PathRequest.class, this::stat),
        rpc.unary("ListDir", ListRequest.class, this::list),
        rpc.unary("MakeDir", PathRequest.class, this::makeDir),
        rpc.unary("Move", MoveRequest.class, this::move),
        rpc.unary("Remove", PathRequest.class, this::remove),
        rpc.stream("WatchDir", WatchRequest.class, watching::stream),
        rpc.unary("CreateWatcher", WatchRequest.class, this::createWatcher),
        rpc.unary("GetWatcherEvents", WatcherRequest.class, this::watcherEvents),
        rpc.unary("RemoveWatcher", WatcherRequest.class, this::removeWatcher));
  }

  record PathRequest(@Nullable String path) {}

  record ListRequest(@Nullable String path, @Nullable Integer depth) {}

  record MoveRequest(@Nullable String source, @Nullable String destination) {}

  record WatcherRequest(@JsonAlias("watcher_id") @Nullable String watcherId) {}

  record EntryAnswer(Entry entry) {}

  private Place place(Call call, @Nullable String path) {
    return Place.of(envd, call, Fields.require("path", path));
  }

  private Object stat(Call call, PathRequest request) {
    return new EntryAnswer(place(call, request.path()).entry());
  }

  private Object list(Call call, ListRequest request) throws InterruptedException {
    Place place = place(call, request.path());
    place.requireFolder();
    int depth = request.depth() == null || request.depth() == 0 ? 1 : request.depth();
    Fields.between("depth", depth, 1, MAX_DEPTH);
    listings.take();
    try {
      Listing found = place.files().with(files -> files.list(place.path(), depth, MAX_ENTRIES));
      if (found.truncated()) {
        throw new RpcRefusal(
            RpcCode.RESOURCE_EXHAUSTED,
            "There are more than %d entries below %s".formatted(MAX_ENTRIES, place.path()));
      }
      List<Entry> entries =
          found.entries().stream()
              .sorted(Comparator.comparing(FileInfo::path, IN_STEPS))
              .map(place::entry)
              .toList();
      return new Rpc.LongAnswer(Map.of("entries", entries));
    } finally {
      listings.give();
    }
  }

  private Object makeDir(Call call, PathRequest request) {
    Place place = place(call, request.path());
    var there = place.files().find(place.path(), true);
    if (there.isPresent()) {
      boolean folder = there.get().type() == FileInfo.Type.FOLDER;
      throw folder
          ? new RpcRefusal(RpcCode.ALREADY_EXISTS, "directory already exists: " + place.path())
          : new RpcRefusal(
              RpcCode.INVALID_ARGUMENT,
              "path already exists but it is not a directory: " + place.path());
    }
    place.files().makeFolder(place.path());
    return new EntryAnswer(place.entry());
  }

  private Object move(Call call, MoveRequest request) {
    Place from = place(call, Fields.require("source", request.source()));
    Place to = from.at(Fields.require("destination", request.destination()));
    from.requirePresent();
    to.files().makeParents(to.path());
    from.files()
        .with(files -> {
          files.move(from.path(), to.path(), true);
          return true;
        });
    return new EntryAnswer(to.entry());
  }

  private Object remove(Call call, PathRequest request) {
    Place place = place(call, request.path());
    if (place.files().find(place.path(), false).isPresent()) {
      place
          .files()
          .with(files -> {
            files.remove(place.path(), true);
            return true;
          });
    }
    return Map.of();
  }

  private Object createWatcher(Call call, WatchRequest request) {
    Place place = place(call, request.path());
    return Map.of("watcherId", watchers.add(call.sandbox().id(), Watching.begin(place, request)));
  }

  private Object watcherEvents(Call call, WatcherRequest request) {
    return Map.of(
        "events",
        watchers.drain(call.sandbox().id(), Fields.require("watcherId", request.watcherId())));
  }

  private Object removeWatcher(Call call, WatcherRequest request) {
    watchers.remove(call.sandbox().id(), Fields.require("watcherId", request.watcherId()));
    return Map.of();
  }
}
