package dev.cove.e2e;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A real registry on a loopback port, with a folder of its own. */
public final class LocalRegistry implements AutoCloseable {
  private static final String USER = "tester";

  private final Path folder;
  private final int port;
  private final String password;
  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();

  private LocalRegistry(Path folder, int port, String password, Process process) {
    this.folder = folder;
    this.port = port;
    this.password = password;
    this.process = process;
  }

  /** One that anybody may read. */
  public static LocalRegistry open() throws IOException, InterruptedException {
    return start("");
  }

  /** One that knows its users. */
  public static LocalRegistry withPassword(String password)
      throws IOException, InterruptedException {
    return start(password);
  }

  private static LocalRegistry start(String password) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("cove-registry");
    int port = freePort();
    var config = new StringBuilder();
    config.append("version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n");
    config.append("    rootdirectory: ").append(folder.resolve("data")).append('\n');
    config.append("http:\n  addr: 127.0.0.1:").append(port).append('\n');
    if (!password.isEmpty()) {
      Path users = folder.resolve("users");
      Files.writeString(users, htpasswd(password));
      config.append("auth:\n  htpasswd:\n    realm: test\n    path: ").append(users).append('\n');
    }
    Path file = Files.writeString(folder.resolve("config.yml"), config);
    Process process =
        new ProcessBuilder("docker-registry", "serve", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    var registry = new LocalRegistry(folder, port, password, process);
    Awaitility.await("the registry")
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .until(() -> registry.send(registry.request("/v2/").GET()).statusCode() == 200);
    return registry;
  }

  private static String htpasswd(String password) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("htpasswd", "-niB", USER).start();
    try (var in = process.getOutputStream()) {
      in.write((password + "\n").getBytes(StandardCharsets.UTF_8));
    }
    String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("htpasswd failed");
    }
    return line;
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  public String user() {
    return USER;
  }

  /** How an image here is called. */
  public String reference(String repositoryAndTag) {
    return "127.0.0.1:" + port + "/" + repositoryAndTag;
  }

  void pushBlob(String repository, TestImage.Blob blob) throws IOException, InterruptedException {
    HttpResponse<String> begun =
        send(request("/v2/" + repository + "/blobs/uploads/").POST(BodyPublishers.noBody()));
    URI upload = URI.create(begun.headers().firstValue("Location").orElseThrow());
    String separator = upload.getQuery() == null ? "?" : "&";
    URI target = base().resolve(upload + separator + "digest=" + blob.digest());
    require(201, send(authorized(target).PUT(BodyPublishers.ofByteArray(blob.bytes()))));
  }

  void pushManifest(String repository, String tag, String type, byte[] manifest)
      throws IOException, InterruptedException {
    require(
        201,
        send(
            request("/v2/" + repository + "/manifests/" + tag)
                .header("Content-Type", type)
                .PUT(BodyPublishers.ofByteArray(manifest))));
  }

  /** Where the registry keeps a blob, for tests that change it behind its back. */
  public Path fileOf(String digest) {
    String hex = digest.substring("sha256:".length());
    return folder
        .resolve("data/docker/registry/v2/blobs/sha256")
        .resolve(hex.substring(0, 2))
        .resolve(hex)
        .resolve("data");
  }

  private URI base() {
    return URI.create("http://127.0.0.1:" + port);
  }

  private HttpRequest.Builder request(String path) {
    return authorized(base().resolve(path));
  }

  private HttpRequest.Builder authorized(URI uri) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30));
    if (!password.isEmpty()) {
      byte[] pair = (USER + ":" + password).getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    }
    return request;
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static void require(int status, HttpResponse<String> response) throws IOException {
    if (response.statusCode() != status) {
      throw new IOException("The registry said " + response.statusCode() + response.body());
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    RunningServer.removeTree(folder);
  }
}
