package dev.cove.sdk;

import java.io.InputStream;
import java.util.List;

/**
 * The files of something that does not run, such as a checkpoint, as one of its users sees them.
 * They can be read and not written. Paths are absolute.
 */
public final class StoredFiles implements ReadableFiles {
  private final SandboxFiles files;

  StoredFiles(Api api, String path) {
    this(new SandboxFiles(api, path, ""));
  }

  private StoredFiles(SandboxFiles files) {
    this.files = files;
  }

  @Override
  public StoredFiles as(String user) {
    return new StoredFiles(files.as(user));
  }

  @Override
  public InputStream read(String file) {
    return files.read(file);
  }

  @Override
  public InputStream read(String file, long offset, long length) {
    return files.read(file, offset, length);
  }

  @Override
  public byte[] readBytes(String file) {
    return files.readBytes(file);
  }

  @Override
  public String readString(String file) {
    return files.readString(file);
  }

  @Override
  public FileInfo stat(String file) {
    return files.stat(file);
  }

  @Override
  public FileInfo statLink(String file) {
    return files.statLink(file);
  }

  @Override
  public boolean exists(String file) {
    return files.exists(file);
  }

  @Override
  public List<FileInfo> list(String folder) {
    return files.list(folder);
  }

  @Override
  public SandboxFiles.Listing list(String folder, int depth, int limit) {
    return files.list(folder, depth, limit);
  }

  @Override
  public InputStream downloadArchive(String fileOrFolder) {
    return files.downloadArchive(fileOrFolder);
  }
}
