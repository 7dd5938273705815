package dev.cove.node.image;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;

/** Bytes whose digest is known beforehand: the end is not reached when they were others. */
final class VerifiedInput extends FilterInputStream {
  private final Digest expected;
  private final String what;
  private final MessageDigest hash = Digest.sha256();
  private boolean verified;

  VerifiedInput(InputStream in, Digest expected, String what) {
    super(in);
    this.expected = expected;
    this.what = what;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int read = in.read(buffer, offset, length);
    if (read > 0) {
      hash.update(buffer, offset, read);
    } else if (read < 0 && !verified) {
      verify();
    }
    return read;
  }

  private void verify() throws BadImageException {
    Digest found = Digest.ofHash(hash.digest());
    if (!found.equals(expected)) {
      throw new BadImageException(
          "%s has the digest %s, and should have %s".formatted(what, found, expected));
    }
    verified = true;
  }

  @Override
  public long skip(long count) throws IOException {
    byte[] buffer = new byte[(int) Math.min(count, 8192)];
    return Math.max(0, read(buffer, 0, buffer.length));
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
