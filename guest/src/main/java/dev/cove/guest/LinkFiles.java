package dev.cove.guest;

import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** File operations over the link. */
final class LinkFiles implements GuestFiles {
  /** A listing is held in memory here; 100,000 entries of common length fit. */
  private static final int LISTING_MAX = 64 * 1024 * 1024;

  private static final Duration WRITE_PATIENCE = Duration.ofSeconds(60);

  /** Covers fsync of all that was written. */
  private static final Duration FINISH_PATIENCE = Duration.ofMinutes(10);

  /** A layer may have the whole of the one below it removed before its next byte is taken in. */
  private static final Duration UNPACK_PATIENCE = Duration.ofMinutes(10);

  private final GuestLink link;
  private final String user;

  LinkFiles(GuestLink link, String user) {
    this.link = link;
    this.user = user;
  }

  @Override
  public FileContent read(String path, long offset, long length) {
    if (offset < 0 || length < -1) {
      throw refused("offset must not be negative");
    }
    LinkChannel channel = open(Op.READ, args(path).u64(offset).u64(length));
    channel.closeWithStream();
    FileInfo info = info(channel.awaitReply());
    return new FileContent(info, channel.out());
  }

  @Override
  public FileInfo write(String path, InputStream content, OptionalInt mode, boolean parents) {
    if (mode.isPresent()) {
      requireMode(mode.getAsInt());
    }
    Payload args = args(path).u32(mode.orElse(-1)).u8(parents ? 1 : 0);
    LinkChannel channel = open(Op.WRITE, args);
    try {
      copy(content, channel, WRITE_PATIENCE);
      channel.in().close();
      return info(channel.awaitReply(FINISH_PATIENCE));
    } finally {
      channel.release();
    }
  }

  private static void copy(InputStream content, LinkChannel channel, Duration patience) {
    byte[] chunk = new byte[Frame.PAYLOAD_MAX - 1];
    while (true) {
      int n = readFrom(content, chunk);
      if (n < 0) {
        return;
      }
      try {
        channel.in().write(chunk, 0, n, patience);
      } catch (IOException e) {
        throw channel.failureOr(e);
      }
    }
  }

  private static int readFrom(InputStream content, byte[] chunk) {
    try {
      return content.read(chunk);
    } catch (IOException e) {
      throw new UncheckedIOException("The content to be written can't be read", e);
    }
  }

  @Override
  public FileInfo stat(String path, boolean followLinks) {
    return info(open(Op.STAT, args(path).u8(followLinks ? 1 : 0)).awaitReply());
  }

  @Override
  public Listing list(String path, int depth, int limit) {
    if (depth < 1 || limit < 1) {
      throw refused("depth and limit must be at least 1");
    }
    LinkChannel channel = open(Op.LIST, args(path).u32(depth).u32(limit));
    PayloadReader records = new PayloadReader(Records.collect(channel, LISTING_MAX));
    return Records.parsed(
        link,
        () -> {
          List<FileInfo> entries = new ArrayList<>();
          while (true) {
            int more = records.u8();
            if (more == 0 || more == 2) {
              records.requireEnd();
              return new Listing(entries, more == 2);
            }
            entries.add(parseInfo(records));
          }
        });
  }

  @Override
  public void mkdir(String path, int mode, boolean parents) {
    requireMode(mode);
    open(Op.MKDIR, args(path).u32(mode).u8(parents ? 1 : 0)).awaitOver();
  }

  @Override
  public void move(String from, String to, boolean overwrite) {
    open(Op.MOVE, args(from).text(to).u8(overwrite ? 1 : 0)).awaitOver();
  }

  @Override
  public void remove(String path, boolean recursive) {
    open(Op.REMOVE, args(path).u8(recursive ? 1 : 0)).awaitOver();
  }

  @Override
  public void chmod(String path, int mode) {
    requireMode(mode);
    open(Op.CHMOD, args(path).u32(mode)).awaitOver();
  }

  @Override
  public void symlink(String path, String target) {
    open(Op.SYMLINK, args(path).text(target)).awaitOver();
  }

  @Override
  public FileWatch watch(String path, boolean recursive) {
    LinkChannel channel = open(Op.WATCH, args(path).u8(recursive ? 1 : 0));
    channel.awaitReply();
    return new LinkWatch(link, channel);
  }

  @Override
  public Unpacked unpack(String path, InputStream tar, UnpackRules rules) {
    if (rules.maxEntries() < 0 || rules.maxBytes() < 0) {
      throw refused("a limit must not be negative");
    }
    Payload args = args(path).u8(rules.layer() ? 1 : 0);
    LinkChannel channel = open(Op.UNPACK, args.u64(rules.maxEntries()).u64(rules.maxBytes()));
    try {
      copy(tar, channel, UNPACK_PATIENCE);
      channel.in().close();
      return unpacked(channel.awaitReply());
    } finally {
      channel.release();
    }
  }

  private Unpacked unpacked(PayloadReader reply) {
    return Records.parsed(
        link,
        () -> {
          Unpacked unpacked =
              new Unpacked(reply.count(), reply.count(), reply.count(), reply.text());
          reply.requireEnd();
          return unpacked;
        });
  }

  @Override
  public InputStream pack(String path, PackRules rules) {
    if (rules.maxEntries() < 0) {
      throw refused("a limit must not be negative");
    }
    LinkChannel channel = open(Op.PACK, args(path).u64(rules.maxEntries()));
    channel.closeWithStream();
    channel.awaitReply();
    return channel.out();
  }

  private LinkChannel open(Op op, Payload args) {
    return link.open(op, args);
  }

  private Payload args(String path) {
    return new Payload().text(user).text(path);
  }

  private FileInfo info(PayloadReader reply) {
    return Records.parsed(
        link,
        () -> {
          FileInfo info = parseInfo(reply);
          reply.requireEnd();
          return info;
        });
  }

  private static FileInfo parseInfo(PayloadReader in) throws BrokenFrameException {
    FileInfo.Type type =
        switch (in.u8()) {
          case 0 -> FileInfo.Type.FILE;
          case 1 -> FileInfo.Type.FOLDER;
          case 2 -> FileInfo.Type.SYMLINK;
          case 3 -> FileInfo.Type.OTHER;
          default -> throw new BrokenFrameException("a file has an unknown type");
        };
    long size = in.count();
    int mode = in.i32();
    int uid = in.i32();
    int gid = in.i32();
    long seconds = in.i64();
    int nanos = in.i32();
    String path = in.text();
    String target = in.text();
    return new FileInfo(path, type, size, mode, uid, gid, Records.instant(seconds, nanos), target);
  }

  private static void requireMode(int mode) {
    if (mode < 0 || mode > 07777) {
      throw refused("a mode is between 0 and 07777 (octal)");
    }
  }

  private static GuestException refused(String message) {
    return new GuestException(ErrorCode.INVALID_REQUEST, Errno.EINVAL, message);
  }
}
