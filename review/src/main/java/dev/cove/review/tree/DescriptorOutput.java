package dev.cove.review.tree;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** Writes a new file, which has its permissions once it is closed. */
final class DescriptorOutput extends OutputStream {
  private final int file;
  private final int permissions;
  private final Rights rights;
  private boolean closed;

  DescriptorOutput(int file, int permissions, Rights rights) {
    this.file = file;
    this.permissions = permissions;
    this.rights = rights;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (closed) {
      throw new IOException("The file is closed");
    }
    for (int done = 0; done < length; ) {
      done += FileCalls.write(file, bytes, offset + done, length - done);
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      var _ =
          rights.run(() -> {
            FileCalls.changeMode(file, permissions);
            return true;
          });
    } finally {
      FileCalls.close(file);
    }
  }
}
