package dev.cove.node.image;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes an image with one layer as a tar that OCI tools and {@code docker load} both read. */
public final class ImageArchive {
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
  private static final String LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
  private static final JsonMapper JSON = JsonMapper.shared();

  private ImageArchive() {}

  /** What the image says about the programs in it. */
  public record Settings(
      String user, String cwd, Map<String, String> env, List<String> entrypoint) {}

  /** Compresses a layer's tar as it is read, and knows the tar's own digest at its end. */
  public static final class CompressedLayer extends InputStream {
    private static final int PIECE = 256 * 1024;

    private final InputStream tar;
    private final MessageDigest hash = Digest.sha256();
    private final ByteArrayOutputStream made = new ByteArrayOutputStream(PIECE);
    private final GZIPOutputStream gzip;
    private byte[] piece = new byte[0];
    private int at;
    private boolean ended;

    public CompressedLayer(InputStream tar) throws IOException {
      this.tar = tar;
      this.gzip =
          new GZIPOutputStream(made) {
            {
              def.setLevel(Deflater.BEST_SPEED);
            }
          };
    }

    /** Of all that was read. */
    public Digest content() {
      return Digest.ofHash(hash.digest());
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      while (at == piece.length && !ended) {
        refill();
      }
      if (at == piece.length) {
        return -1;
      }
      int count = Math.min(length, piece.length - at);
      System.arraycopy(piece, at, buffer, offset, count);
      at += count;
      return count;
    }

    private void refill() throws IOException {
      byte[] plain = tar.readNBytes(PIECE);
      hash.update(plain);
      gzip.write(plain);
      if (plain.length < PIECE) {
        gzip.finish();
        ended = true;
      }
      piece = made.toByteArray();
      made.reset();
      at = 0;
    }

    @Override
    public void close() throws IOException {
      tar.close();
    }
  }

  /**
   * @param layer the compressed layer
   * @param content the digest of the tar in it
   */
  public static void write(
      String name, Path layer, Digest content, Settings settings, OutputStream out)
      throws IOException {
    Digest blob = digestOf(layer);
    byte[] config = config(settings, content);
    byte[] manifest = manifest(config, blob, Files.size(layer));
    var tar = new TarArchiveOutputStream(out, "UTF-8");
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    put(tar, "oci-layout", JSON.writeValueAsBytes(Map.of("imageLayoutVersion", "1.0.0")));
    put(tar, nameOf(Digest.of(config)), config);
    put(tar, nameOf(Digest.of(manifest)), manifest);
    var entry = new TarArchiveEntry(nameOf(blob));
    entry.setSize(Files.size(layer));
    entry.setModTime(0);
    tar.putArchiveEntry(entry);
    Files.copy(layer, tar);
    tar.closeArchiveEntry();
    put(tar, "index.json", index(name, manifest));
    put(tar, "manifest.json", dockerManifest(name, config, blob));
    tar.finish();
    out.flush();
  }

  private static Digest digestOf(Path file) throws IOException {
    MessageDigest hash = Digest.sha256();
    byte[] buffer = new byte[128 * 1024];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        hash.update(buffer, 0, read);
      }
    }
    return Digest.ofHash(hash.digest());
  }

  private static void put(TarArchiveOutputStream tar, String name, byte[] bytes)
      throws IOException {
    var entry = new TarArchiveEntry(name);
    entry.setSize(bytes.length);
    entry.setModTime(0);
    tar.putArchiveEntry(entry);
    tar.write(bytes);
    tar.closeArchiveEntry();
  }

  private static String nameOf(Digest digest) {
    return "blobs/sha256/" + digest.hex();
  }

  private static byte[] config(Settings settings, Digest content) {
    ObjectNode config = JSON.createObjectNode();
    config.put("architecture", Platform.ARCHITECTURE);
    config.put("os", "linux");
    ObjectNode inner = config.putObject("config");
    inner.put("User", settings.user());
    inner.put("WorkingDir", settings.cwd());
    var env = inner.putArray("Env");
    settings.env().forEach((name, value) -> env.add(name + "=" + value));
    var entrypoint = inner.putArray("Cmd");
    settings.entrypoint().forEach(entrypoint::add);
    ObjectNode rootfs = config.putObject("rootfs");
    rootfs.put("type", "layers");
    rootfs.putArray("diff_ids").add(content.text());
    return JSON.writeValueAsBytes(config);
  }

  private static byte[] manifest(byte[] config, Digest blob, long size) {
    ObjectNode manifest = JSON.createObjectNode();
    manifest.put("schemaVersion", 2);
    manifest.put("mediaType", MANIFEST);
    describe(manifest.putObject("config"), CONFIG, Digest.of(config), config.length);
    describe(manifest.putArray("layers").addObject(), LAYER, blob, size);
    return JSON.writeValueAsBytes(manifest);
  }

  private static byte[] index(String name, byte[] manifest) {
    ObjectNode index = JSON.createObjectNode();
    index.put("schemaVersion", 2);
    ObjectNode entry = index.putArray("manifests").addObject();
    describe(entry, MANIFEST, Digest.of(manifest), manifest.length);
    entry.putObject("annotations").put("org.opencontainers.image.ref.name", name);
    return JSON.writeValueAsBytes(index);
  }

  private static byte[] dockerManifest(String name, byte[] config, Digest blob) {
    ObjectNode entry = JSON.createObjectNode();
    entry.put("Config", nameOf(Digest.of(config)));
    entry.putArray("RepoTags").add(name);
    entry.putArray("Layers").add(nameOf(blob));
    return JSON.writeValueAsBytes(List.of(entry));
  }

  private static void describe(ObjectNode node, String type, Digest digest, long size) {
    node.put("mediaType", type);
    node.put("digest", digest.text());
    node.put("size", size);
  }
}
