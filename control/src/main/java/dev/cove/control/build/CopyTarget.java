package dev.cove.control.build;

/**
 * Where a COPY puts things.
 *
 * @param path relative to the root, without slashes at its ends; empty for the root
 * @param isFolder whether it was written as a folder: files go into it under their own names
 */
record CopyTarget(String path, boolean isFolder) {
  /**
   * @param workdir absolute
   */
  static CopyTarget of(Step.Copy copy, String workdir) {
    if (!workdir.startsWith("/")) {
      throw new BuildException(copy.line(), "The working folder must be absolute");
    }
    String written = copy.target();
    String path = EntryPath.resolve(workdir, written);
    String last = EntryPath.base(written);
    boolean isFolder = last.isEmpty() || last.equals(".") || last.equals("..") || path.isEmpty();
    return new CopyTarget(path, isFolder);
  }

  /** Of a file that is itself a source. */
  String ofFile(String sourceName) {
    return isFolder ? EntryPath.join(path, EntryPath.base(sourceName)) : path;
  }

  /** Of something inside of a folder that is a source. */
  String ofInner(String nameInFolder) {
    return EntryPath.join(path, nameInFolder);
  }

  /** The folder that has to be there, relative to the root, before anything is unpacked. */
  String folder(boolean holdsFile) {
    return isFolder || !holdsFile ? path : EntryPath.parent(path);
  }
}
