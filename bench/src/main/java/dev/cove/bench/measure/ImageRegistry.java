package dev.cove.bench.measure;

import dev.cove.bench.report.JsonText;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Debian's docker-registry on a port of its own, with what is pushed to it in a folder. */
final class ImageRegistry implements Closeable {
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration REQUEST_LIMIT = Duration.ofMinutes(2);

  private final int port;
  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();

  private ImageRegistry(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /** A layer as it is and as it is sent. */
  record Layer(Path tar, Path compressed) {}

  static ImageRegistry start(Path folder) throws IOException, InterruptedException {
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    String config =
        """
        version: 0.1
        log:
          level: error
        storage:
          filesystem:
            rootdirectory: %s
        http:
          addr: 127.0.0.1:%d
        """
            .formatted(folder.resolve("data"), port);
    Path file = Files.writeString(folder.resolve("config.yml"), config);
    Process process =
        new ProcessBuilder("docker-registry", "serve", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    var registry = new ImageRegistry(port, process);
    registry.awaitAnswer();
    return registry;
  }

  private void awaitAnswer() throws IOException, InterruptedException {
    var watch = new Stopwatch();
    while (true) {
      try {
        send("GET", uri("/v2/"), BodyPublishers.noBody(), 200);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || watch.elapsed().compareTo(START_LIMIT) > 0) {
          close();
          throw new IOException("docker-registry does not answer: " + e.getMessage(), e);
        }
        Thread.sleep(50);
      }
    }
  }

  /** Pushes an image that consists of these layers, and returns how it is called. */
  String push(String name, List<Layer> layers) throws IOException, InterruptedException {
    var contents = new ArrayList<Object>();
    var blobs = new ArrayList<Object>();
    for (Layer layer : layers) {
      String digest = digest(layer.compressed());
      upload(name, digest, BodyPublishers.ofFile(layer.compressed()));
      contents.add(digest(layer.tar()));
      blobs.add(
          blob(
              "application/vnd.oci.image.layer.v1.tar+gzip",
              digest,
              Files.size(layer.compressed())));
    }
    String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    byte[] config =
        json(
            Map.of(
                "os",
                "linux",
                "architecture",
                arch,
                "config",
                Map.of(),
                "rootfs",
                Map.of("type", "layers", "diff_ids", contents)));
    String configDigest = digest(config);
    upload(name, configDigest, BodyPublishers.ofByteArray(config));
    byte[] manifest =
        json(
            Map.of(
                "schemaVersion",
                2,
                "mediaType",
                MANIFEST,
                "config",
                blob("application/vnd.oci.image.config.v1+json", configDigest, config.length),
                "layers",
                blobs));
    send("PUT", uri("/v2/" + name + "/manifests/1"), BodyPublishers.ofByteArray(manifest), 201);
    return "127.0.0.1:" + port + "/" + name + ":1";
  }

  private static Map<String, Object> blob(String type, String digest, long size) {
    return Map.of("mediaType", type, "digest", digest, "size", size);
  }

  private static byte[] json(Map<String, Object> value) {
    return JsonText.value(value).getBytes(StandardCharsets.UTF_8);
  }

  private void upload(String name, String digest, BodyPublisher body)
      throws IOException, InterruptedException {
    HttpResponse<String> begun =
        send("POST", uri("/v2/" + name + "/blobs/uploads/"), BodyPublishers.noBody(), 202);
    String place = begun.headers().firstValue("Location").orElseThrow();
    String separator = place.contains("?") ? "&" : "?";
    send("PUT", uri("/").resolve(place + separator + "digest=" + digest), body, 201);
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private HttpResponse<String> send(String method, URI uri, BodyPublisher body, int expected)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(REQUEST_LIMIT)
            .header("Content-Type", method.equals("PUT") ? type(uri) : "application/json")
            .method(method, body)
            .build();
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    if (response.statusCode() != expected) {
      throw new IOException("The registry said " + response.statusCode() + response.body());
    }
    return response;
  }

  private static String type(URI uri) {
    return uri.getPath().contains("/manifests/") ? MANIFEST : "application/octet-stream";
  }

  private static String digest(byte[] bytes) {
    return "sha256:" + HexFormat.of().formatHex(sha256().digest(bytes));
  }

  private static String digest(Path file) throws IOException {
    MessageDigest hash = sha256();
    byte[] buffer = new byte[128 * 1024];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        hash.update(buffer, 0, read);
      }
    }
    return "sha256:" + HexFormat.of().formatHex(hash.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  @Override
  public void close() {
    client.close();
    process.toHandle().destroyForcibly();
    process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
