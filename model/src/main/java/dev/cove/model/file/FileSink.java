package dev.cove.model.file;

import java.io.IOException;
import java.io.OutputStream;

/** Takes files one after the other, each with a name below some folder. */
public interface FileSink {
  /**
   * @param name with slashes and no leading one
   */
  void take(String name, long size, Content content) throws IOException;

  /** Writes a file as {@link FileRanges} does. */
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }
}
