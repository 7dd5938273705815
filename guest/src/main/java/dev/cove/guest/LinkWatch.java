package dev.cove.guest;

import dev.cove.guest.GuestFiles.FileChange;
import dev.cove.guest.GuestFiles.FileWatch;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Changes over the link: each comes as one DATA frame's worth of kind and path. */
final class LinkWatch implements FileWatch {
  private final GuestLink link;
  private final LinkChannel channel;

  LinkWatch(GuestLink link, LinkChannel channel) {
    this.link = link;
    this.channel = channel;
  }

  @Override
  public Optional<FileChange> next(Duration timeout) {
    byte @Nullable [] record = channel.out().readRecord(timeout);
    if (record == null) {
      return Optional.empty();
    }
    return Optional.of(
        Records.parsed(
            link,
            () -> {
              PayloadReader reader = new PayloadReader(record);
              FileChange.Kind kind = kind(reader.u8());
              String path = reader.text();
              reader.requireEnd();
              return new FileChange(kind, path);
            }));
  }

  private static FileChange.Kind kind(int code) throws BrokenFrameException {
    return switch (code) {
      case 0 -> FileChange.Kind.CREATED;
      case 1 -> FileChange.Kind.MODIFIED;
      case 2 -> FileChange.Kind.REMOVED;
      case 3 -> FileChange.Kind.MOVED_FROM;
      case 4 -> FileChange.Kind.MOVED_TO;
      case 5 -> FileChange.Kind.OVERFLOW;
      case 6 -> FileChange.Kind.ATTRIBUTES;
      default -> throw new BrokenFrameException("a change has the unknown kind " + code);
    };
  }

  @Override
  public void close() {
    channel.release();
  }
}
