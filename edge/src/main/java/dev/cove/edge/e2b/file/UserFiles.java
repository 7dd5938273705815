package dev.cove.edge.e2b.file;

import dev.cove.edge.e2b.rpc.Errno;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.FileInfo;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Files as E2B's daemon handles them, which is root and leaves what it makes to the user: what the
 * user may do is done with his rights, anything else with root's, and then given to him.
 */
final class UserFiles {
  private static final String ROOT = "root";
  private static final int FOLDER_MODE = 0755;

  private final Guest guest;
  private final Person person;

  UserFiles(Guest guest, Person person) {
    this.guest = guest;
    this.person = person;
  }

  /** Does something that leaves nothing new behind. */
  <T> T with(Function<GuestFiles, T> work) {
    try {
      return work.apply(guest.files(person.name()));
    } catch (GuestException e) {
      if (!isForbidden(e)) {
        throw e;
      }
      return work.apply(guest.files(ROOT));
    }
  }

  Optional<FileInfo> find(String path, boolean follow) {
    try {
      return Optional.of(with(files -> files.stat(path, follow)));
    } catch (GuestException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  void makeFolder(String path) {
    make(path, files -> files.mkdir(path, FOLDER_MODE, true));
  }

  /** Makes the folders that a path is to be in. */
  void makeParents(String path) {
    String parent = parent(path);
    if (find(parent, true).isEmpty()) {
      makeFolder(parent);
    }
  }

  void write(String path, InputStream content) {
    if (!person.isAtHomeIn(path)) {
      // What comes can be read once only, so it is asked beforehand whose rights it takes.
      make(
          path,
          files -> files.write(path, InputStream.nullInputStream(), OptionalInt.empty(), true));
    }
    with(files -> files.write(path, content, OptionalInt.empty(), true));
  }

  private void make(String path, Consumer<GuestFiles> work) {
    try {
      work.accept(guest.files(person.name()));
    } catch (GuestException e) {
      if (!isForbidden(e)) {
        throw e;
      }
      String first = firstMissing(path);
      work.accept(guest.files(ROOT));
      giveToUser(first);
    }
  }

  /** The uppermost folder that is not there yet, or the path itself. */
  private String firstMissing(String path) {
    String first = path;
    for (String above = parent(path);
        !above.equals("/") && find(above, true).isEmpty();
        above = parent(above)) {
      first = above;
    }
    return first;
  }

  private void giveToUser(String path) {
    if (person.uid() == 0) {
      return;
    }
    var chown =
        new CommandSpec(
            List.of("chown", "-hR", person.uid() + ":" + person.gid(), path),
            Map.of(),
            "/",
            ROOT,
            false,
            Optional.empty(),
            Duration.ofSeconds(30),
            false);
    try (Command command = guest.start(chown)) {
      CommandExit exit = command.exit().join();
      if (exit.code() != 0) {
        throw new CoveException(
            ErrorCode.GUEST_REFUSED, "The user could not be made the owner of " + path);
      }
    }
  }

  private static boolean isForbidden(GuestException failure) {
    return failure.errno() == Errno.EACCES || failure.errno() == Errno.EPERM;
  }

  static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }
}
