package dev.cove.e2e;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An image made by a test, honest or not, for a registry or as an archive. */
public final class TestImage {
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String GZIP = "application/vnd.oci.image.layer.v1.tar+gzip";
  private static final String ZSTD = "application/vnd.oci.image.layer.v1.tar+zstd";
  private static final JsonMapper JSON = JsonMapper.shared();

  private final List<Blob> layers = new ArrayList<>();
  private final List<String> types = new ArrayList<>();
  private final List<String> contents = new ArrayList<>();
  private final ObjectNode settings = JSON.createObjectNode();

  /** Bytes and their digest. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares two
  public record Blob(byte[] bytes) {
    public String digest() {
      return TestImage.digest(bytes);
    }
  }

  /** A layer's tar, entry by entry, with nothing checked. */
  public static final class Layer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

    public Layer() {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    }

    public Layer file(String name, String content) {
      return file(name, content.getBytes(StandardCharsets.UTF_8), 0644);
    }

    public Layer file(String name, byte[] content, int mode) {
      var entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
      entry.setSize(content.length);
      entry.setMode(mode);
      return add(entry, content);
    }

    /** A file with an attribute, as layers bring it: in a header of its own before the file. */
    public Layer fileWith(String name, String content, String attribute, String value) {
      byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
      var entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
      entry.setSize(bytes.length);
      entry.setMode(0755);
      entry.addPaxHeader("SCHILY.xattr." + attribute, value);
      return add(entry, bytes);
    }

    public Layer folder(String name) {
      var entry = new TarArchiveEntry(name + "/", TarConstants.LF_DIR, true);
      entry.setMode(0755);
      return add(entry, new byte[0]);
    }

    public Layer symlink(String name, String target) {
      var entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK, true);
      entry.setLinkName(target);
      return add(entry, new byte[0]);
    }

    public Layer hardLink(String name, String target) {
      var entry = new TarArchiveEntry(name, TarConstants.LF_LINK, true);
      entry.setLinkName(target);
      return add(entry, new byte[0]);
    }

    public Layer device(String name) {
      var entry = new TarArchiveEntry(name, TarConstants.LF_CHR, true);
      entry.setDevMajor(1);
      entry.setDevMinor(8);
      return add(entry, new byte[0]);
    }

    private Layer add(TarArchiveEntry entry, byte[] content) {
      entry.setModTime(0); // the same layer has the same digest at any time
      try {
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
        return this;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    byte[] finish() {
      try {
        tar.finish();
        return bytes.toByteArray();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  public TestImage layer(Layer layer) {
    return layer(layer.finish());
  }

  /** A layer whose tar is these bytes. */
  public TestImage layer(byte[] tar) {
    return blob(gzip(tar), GZIP, tar);
  }

  /** A layer that is compressed with zstd instead of gzip. */
  public TestImage zstdLayer(Layer layer) {
    byte[] tar = layer.finish();
    return zstdBlob(Zstd.compress(tar), tar);
  }

  /** A layer that says it is compressed with zstd, whatever its bytes are. */
  public TestImage zstdBlob(byte[] bytes, byte[] tar) {
    return blob(bytes, ZSTD, tar);
  }

  private TestImage blob(byte[] bytes, String type, byte[] tar) {
    layers.add(new Blob(bytes));
    types.add(type);
    contents.add(digest(tar));
    return this;
  }

  /** Promises that the last layer holds something else. */
  public TestImage lieAboutLastLayer() {
    contents.set(contents.size() - 1, digest("something else".getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  public TestImage env(String pair) {
    settings.withArray("Env").add(pair);
    return this;
  }

  public TestImage user(String user) {
    settings.put("User", user);
    return this;
  }

  public TestImage cwd(String folder) {
    settings.put("WorkingDir", folder);
    return this;
  }

  public TestImage entrypoint(String... words) {
    for (String word : words) {
      settings.withArray("Entrypoint").add(word);
    }
    return this;
  }

  public TestImage command(String... words) {
    for (String word : words) {
      settings.withArray("Cmd").add(word);
    }
    return this;
  }

  public List<Blob> layers() {
    return List.copyOf(layers);
  }

  private Blob config() {
    ObjectNode config = JSON.createObjectNode();
    config.put("os", "linux");
    config.put("architecture", System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64");
    config.set("config", settings);
    ObjectNode rootfs = config.putObject("rootfs");
    rootfs.put("type", "layers");
    contents.forEach(rootfs.putArray("diff_ids")::add);
    return new Blob(JSON.writeValueAsBytes(config));
  }

  private Blob manifest() {
    ObjectNode manifest = JSON.createObjectNode();
    manifest.put("schemaVersion", 2);
    manifest.put("mediaType", MANIFEST);
    describe(manifest.putObject("config"), config(), "application/vnd.oci.image.config.v1+json");
    var list = manifest.putArray("layers");
    for (int i = 0; i < layers.size(); i++) {
      describe(list.addObject(), layers.get(i), types.get(i));
    }
    return new Blob(JSON.writeValueAsBytes(manifest));
  }

  private static void describe(ObjectNode node, Blob blob, String type) {
    node.put("mediaType", type);
    node.put("digest", blob.digest());
    node.put("size", blob.bytes().length);
  }

  /**
   * @return the manifest's digest
   */
  public String push(LocalRegistry registry, String repository, String tag)
      throws IOException, InterruptedException {
    for (Blob layer : layers) {
      registry.pushBlob(repository, layer);
    }
    registry.pushBlob(repository, config());
    registry.pushManifest(repository, tag, MANIFEST, manifest().bytes());
    return manifest().digest();
  }

  public byte[] ociArchive() {
    var archive = new Layer();
    archive.file("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}");
    ObjectNode index = JSON.createObjectNode();
    index.put("schemaVersion", 2);
    describe(index.putArray("manifests").addObject(), manifest(), MANIFEST);
    archive.file("index.json", JSON.writeValueAsBytes(index), 0644);
    for (Blob blob : List.of(manifest(), config())) {
      archive.file(nameOf(blob), blob.bytes(), 0644);
    }
    layers.forEach(blob -> archive.file(nameOf(blob), blob.bytes(), 0644));
    return archive.finish();
  }

  private static String nameOf(Blob blob) {
    return "blobs/sha256/" + blob.digest().substring("sha256:".length());
  }

  public byte[] dockerArchive() {
    var archive = new Layer();
    ObjectNode entry = JSON.createObjectNode();
    entry.put("Config", "config.json");
    for (int i = 0; i < layers.size(); i++) {
      String name = i + "/layer.tar";
      entry.withArray("Layers").add(name);
      archive.file(name, layers.get(i).bytes(), 0644);
    }
    archive.file("config.json", config().bytes(), 0644);
    archive.file("manifest.json", JSON.writeValueAsBytes(List.of(entry)), 0644);
    return archive.finish();
  }

  private static byte[] gzip(byte[] bytes) {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  static String digest(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "sha256:" + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For messages of failed tests. */
  @Override
  public String toString() {
    return Map.of("layers", layers.size(), "settings", settings).toString();
  }
}
