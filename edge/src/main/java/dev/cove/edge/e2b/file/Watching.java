package dev.cove.edge.e2b.file;

import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.rpc.Keepalive;
import dev.cove.edge.e2b.rpc.Rpc.Call;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.edge.e2b.rpc.RpcStream;
import dev.cove.edge.http.ClientGoneException;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.Fields;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles.FileChange;
import dev.cove.guest.GuestFiles.FileWatch;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Changes below a folder, as they happen. */
final class Watching {
  private static final Map<String, Object> KEEPALIVE = Map.of("keepalive", Map.of());

  private final Envd envd;

  Watching(Envd envd) {
    this.envd = envd;
  }

  /**
   * A watch that has begun.
   *
   * @param entries whether a change tells of the file that it is about
   */
  record Begun(Place place, FileWatch watch, boolean entries) implements AutoCloseable {
    /** The next change that E2B has a word for, if one comes in time. */
    Optional<Changed> next(Duration patience) {
      return watch.next(patience).flatMap(this::changed);
    }

    private Optional<Changed> changed(FileChange change) {
      Optional<String> type =
          switch (change.kind()) {
            case CREATED, MOVED_TO -> Optional.of("EVENT_TYPE_CREATE");
            case MODIFIED -> Optional.of("EVENT_TYPE_WRITE");
            case REMOVED -> Optional.of("EVENT_TYPE_REMOVE");
            case MOVED_FROM -> Optional.of("EVENT_TYPE_RENAME");
            case ATTRIBUTES -> Optional.of("EVENT_TYPE_CHMOD");
            case OVERFLOW -> Optional.empty();
          };
      if (type.isEmpty()) {
        throw new RpcRefusal(
            RpcCode.RESOURCE_EXHAUSTED,
            "Changes came faster than they were read, and some are lost");
      }
      boolean there =
          switch (change.kind()) {
            case CREATED, MOVED_TO, MODIFIED, ATTRIBUTES -> true;
            case REMOVED, MOVED_FROM, OVERFLOW -> false;
          };
      return Optional.of(
          new Changed(
              relative(change.path()),
              type.get(),
              there && entries ? entry(change) : Optional.empty()));
    }

    private Optional<Entry> entry(FileChange change) {
      try {
        return place.files().find(change.path(), false).map(place::entry);
      } catch (GuestException _) {
        return Optional.empty(); // it may be gone again
      }
    }

    private String relative(String path) {
      String folder = place.path().equals("/") ? "/" : place.path() + "/";
      return path.startsWith(folder) ? path.substring(folder.length()) : path;
    }

    @Override
    public void close() {
      watch.close();
    }
  }

  /** A change, in E2B's words. */
  record Changed(String name, String type, Optional<Entry> entry) {}

  static Begun begin(Place place, WatchRequest request) {
    place.requireFolder();
    boolean recursive = Boolean.TRUE.equals(request.recursive());
    FileWatch watch = place.files().with(files -> files.watch(place.path(), recursive));
    return new Begun(place, watch, Boolean.TRUE.equals(request.includeEntry()));
  }

  void stream(Call call, WatchRequest request, RpcStream answer)
      throws IOException, InterruptedException {
    Place place = Place.of(envd, call, Fields.require("path", request.path()));
    var keepalive = new Keepalive(call, answer, KEEPALIVE);
    try (Begun begun = begin(place, request)) {
      answer.send(Map.of("start", Map.of()));
      var gone = new AtomicBoolean();
      try (ClientPresence _ = call.exchange().watchClient(() -> leave(begun, gone))) {
        while (!gone.get()) {
          Optional<Changed> change = begun.next(keepalive.patience());
          if (change.isPresent()) {
            answer.send(Map.of("filesystem", change.get()));
          }
          keepalive.beat();
        }
      } catch (CoveException e) {
        if (!gone.get()) {
          throw e;
        }
      }
      if (gone.get()) {
        throw new ClientGoneException();
      }
    }
  }

  // Closing the watch wakes the thread that waits for the next change.
  private static void leave(Begun begun, AtomicBoolean gone) {
    gone.set(true);
    begun.close();
  }
}
