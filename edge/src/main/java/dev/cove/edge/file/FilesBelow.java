package dev.cove.edge.file;

import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestFiles;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The files below one folder, which callers see as the root.
 *
 * <p>Only names are changed here. Links are followed where the files are, so nothing may be there
 * that they must not lead to.
 */
public final class FilesBelow implements GuestFiles {
  private final GuestFiles files;
  private final String folder;

  public FilesBelow(GuestFiles files, String folder) {
    this.files = files;
    this.folder = folder;
  }

  private String inside(String path) {
    if (Arrays.asList(path.split("/", -1)).contains("..")) {
      throw new IllegalArgumentException("A path here must not contain ..");
    }
    return folder + path;
  }

  private String outside(String path) {
    String rest = path.startsWith(folder) ? path.substring(folder.length()) : path;
    return rest.isEmpty() ? "/" : rest;
  }

  private FileInfo outside(FileInfo info) {
    return new FileInfo(
        outside(info.path()),
        info.type(),
        info.size(),
        info.mode(),
        info.uid(),
        info.gid(),
        info.modifiedAt(),
        info.linkTarget());
  }

  @Override
  public FileContent read(String path, long offset, long length) {
    FileContent content = files.read(inside(path), offset, length);
    return new FileContent(outside(content.info()), content.stream());
  }

  @Override
  public FileInfo write(String path, InputStream content, OptionalInt mode, boolean parents) {
    return outside(files.write(inside(path), content, mode, parents));
  }

  @Override
  public FileInfo stat(String path, boolean followLinks) {
    return outside(files.stat(inside(path), followLinks));
  }

  @Override
  public Listing list(String path, int depth, int limit) {
    Listing found = files.list(inside(path), depth, limit);
    return new Listing(found.entries().stream().map(this::outside).toList(), found.truncated());
  }

  @Override
  public void mkdir(String path, int mode, boolean parents) {
    files.mkdir(inside(path), mode, parents);
  }

  @Override
  public void move(String from, String to, boolean overwrite) {
    files.move(inside(from), inside(to), overwrite);
  }

  @Override
  public void remove(String path, boolean recursive) {
    files.remove(inside(path), recursive);
  }

  @Override
  public void chmod(String path, int mode) {
    files.chmod(inside(path), mode);
  }

  @Override
  public void symlink(String path, String target) {
    files.symlink(inside(path), target);
  }

  @Override
  public FileWatch watch(String path, boolean recursive) {
    FileWatch watch = files.watch(inside(path), recursive);
    return new FileWatch() {
      @Override
      public Optional<FileChange> next(Duration timeout) {
        return watch
            .next(timeout)
            .map(change -> new FileChange(change.kind(), outside(change.path())));
      }

      @Override
      public void close() {
        watch.close();
      }
    };
  }

  @Override
  public Unpacked unpack(String path, InputStream tar, UnpackRules rules) {
    return files.unpack(inside(path), tar, rules);
  }

  @Override
  public InputStream pack(String path, PackRules rules) {
    return files.pack(inside(path), rules);
  }
}
