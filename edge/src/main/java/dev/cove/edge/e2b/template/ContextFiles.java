package dev.cove.edge.e2b.template;

import dev.cove.control.build.Spool;
import dev.cove.control.build.Upload;
import dev.cove.edge.archive.GunzippedInput;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * The files that clients have sent for builds, each archive by its hash, so that it is sent once.
 * The oldest go when there are many, and all when the server ends.
 */
final class ContextFiles {
  private static final int MOST = 64;

  private final Spool spool;
  private final Map<String, Upload> kept = new LinkedHashMap<>();

  ContextFiles(Spool spool) {
    this.spool = spool;
  }

  synchronized boolean has(String project, String hash) {
    return kept.containsKey(key(project, hash));
  }

  /** What one project has sent means nothing to another: nobody checks the hash. */
  private static String key(String project, String hash) {
    return project + ":" + hash;
  }

  void keep(String project, String hash, InputStream archive) throws IOException {
    Upload upload = spool.keep(GunzippedInput.orPlain(archive));
    synchronized (this) {
      Upload before = kept.put(key(project, hash), upload);
      if (before != null) {
        before.close();
      }
      while (kept.size() > MOST) {
        Iterator<Upload> oldest = kept.values().iterator();
        oldest.next().close();
        oldest.remove();
      }
    }
  }

  /**
   * All files of these archives in one.
   *
   * @throws IllegalArgumentException when one of them was not sent
   */
  Upload together(String project, List<String> hashes) throws IOException {
    List<InputStream> archives = new ArrayList<>();
    try {
      synchronized (this) {
        for (String hash : hashes) {
          Upload upload = kept.get(key(project, hash));
          if (upload == null) {
            throw new IllegalArgumentException("The files of a COPY were not uploaded");
          }
          archives.add(upload.open());
        }
      }
      return spool.keep(new Merged(archives));
    } finally {
      for (InputStream archive : archives) {
        archive.close();
      }
    }
  }

  /** What several archives hold, as one archive, made while it is read. */
  private static final class Merged extends InputStream {
    private final PipedInputStream in = new PipedInputStream(64 * 1024);
    private final CompletableFuture<Void> written = new CompletableFuture<>();

    Merged(List<InputStream> archives) throws IOException {
      var out = new PipedOutputStream(in);
      Thread.ofVirtual()
          .name("e2b-context")
          .start(() -> {
            try (out) {
              write(archives, out);
              written.complete(null);
            } catch (IOException | RuntimeException e) {
              written.completeExceptionally(e);
            }
          });
    }

    private static void write(List<InputStream> archives, OutputStream out) throws IOException {
      try (var tar = new TarArchiveOutputStream(out, "UTF-8")) {
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
        for (InputStream archive : archives) {
          var from = new TarArchiveInputStream(new BufferedInputStream(archive), "UTF-8");
          for (TarArchiveEntry entry = from.getNextEntry();
              entry != null;
              entry = from.getNextEntry()) {
            tar.putArchiveEntry(entry);
            from.transferTo(tar);
            tar.closeArchiveEntry();
          }
        }
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = in.read(buffer, offset, length);
      if (read < 0 && !isWhole()) {
        throw new IllegalArgumentException("The files of a COPY are not a tar archive");
      }
      return read;
    }

    private boolean isWhole() {
      try {
        written.join();
        return true;
      } catch (RuntimeException e) {
        return false;
      }
    }
  }
}
