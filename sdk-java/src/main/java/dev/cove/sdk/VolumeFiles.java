package dev.cove.sdk;

import java.io.InputStream;
import java.util.List;

/**
 * The files of one volume, reached without a sandbox. Paths begin at the volume. What was written
 * is on the disk when the call returns.
 */
public final class VolumeFiles {
  private final SandboxFiles files;

  VolumeFiles(SandboxFiles files) {
    this.files = files;
  }

  /** The same files, with the rights of that user: root, or a number. */
  public VolumeFiles as(String user) {
    return new VolumeFiles(files.as(user));
  }

  /** The caller closes the stream. */
  public InputStream read(String file) {
    return files.read(file);
  }

  public String readString(String file) {
    return files.readString(file);
  }

  public FileInfo write(String file, String text) {
    return files.write(file, text);
  }

  /** Writes until the source ends; whatever its size, little of it is in memory at once. */
  public FileInfo write(String file, InputStream source) {
    return files.write(file, source);
  }

  /** Symbolic links are followed, and lead nowhere outside the volume. */
  public FileInfo stat(String file) {
    return files.stat(file);
  }

  /** Says what a symbolic link is rather than what it points to. */
  public FileInfo statLink(String file) {
    return files.statLink(file);
  }

  public boolean exists(String file) {
    return files.exists(file);
  }

  public List<FileInfo> list(String folder) {
    return files.list(folder);
  }

  /** Makes a folder and those that lead to it. */
  public void mkdir(String folder) {
    files.mkdir(folder);
  }

  public void move(String from, String to, boolean overwrite) {
    files.move(from, to, overwrite);
  }

  /** The mode is octal, such as {@code 0755}. */
  public void chmod(String file, String mode) {
    files.chmod(file, mode);
  }

  public void symlink(String link, String target) {
    files.symlink(link, target);
  }

  public void remove(String file) {
    files.remove(file);
  }

  /** Removes a folder and all that is in it. */
  public void removeTree(String folder) {
    files.removeTree(folder);
  }
}
