package dev.cove.sdk;

import java.io.InputStream;
import java.util.List;

/** Files that can be read, of a sandbox or of something that does not run. Paths are absolute. */
public sealed interface ReadableFiles permits SandboxFiles, StoredFiles {
  /** The same files, with the rights of that user. */
  ReadableFiles as(String user);

  /** The caller closes the stream. */
  InputStream read(String file);

  /** Part of a file; the caller closes the stream. */
  InputStream read(String file, long offset, long length);

  byte[] readBytes(String file);

  String readString(String file);

  /** Symbolic links are followed. */
  FileInfo stat(String file);

  /** Says what a symbolic link is rather than what it points to. */
  FileInfo statLink(String file);

  boolean exists(String file);

  List<FileInfo> list(String folder);

  /** Lists a folder and, below it, as many levels as asked for. */
  SandboxFiles.Listing list(String folder, int depth, int limit);

  /** A file or folder as tar.gz; the caller closes the stream. */
  InputStream downloadArchive(String fileOrFolder);
}
