package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A forge: git's own server program behind HTTPS, for whoever knows the password. */
final class GitOverHttps implements SecureWorld.Telling {
  private static final Path BACKEND = Path.of("/usr/lib/git-core/git-http-backend");

  private final Path repositories;
  private final String credentials;

  GitOverHttps(Path folder, String user, String password) throws Exception {
    this.repositories = folder;
    this.credentials =
        "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    run(
        "set -e; git init -q --bare -b main repo.git; git -C repo.git config http.receivepack true;"
            + " git init -q -b main work; cd work; echo hello > README; git add .;"
            + " git -c user.name=t -c user.email=t@example.com commit -qm first;"
            + " git push -q ../repo.git main");
  }

  private void run(String script) throws Exception {
    Process shell =
        new ProcessBuilder("sh", "-c", script).directory(repositories.toFile()).inheritIO().start();
    assertThat(shell.waitFor()).isZero();
  }

  /** What the last commit of the repository says. */
  String lastMessage() throws Exception {
    Process log =
        new ProcessBuilder("git", "-C", "repo.git", "log", "-1", "--format=%s", "main")
            .directory(repositories.toFile())
            .start();
    String said = new String(log.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(log.waitFor()).isZero();
    return said.strip();
  }

  @Override
  public void handle(HttpExchange exchange, List<String> seen) throws IOException {
    String sent =
        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Authorization"), "");
    seen.add(exchange.getRequestURI() + " " + sent);
    byte[] body = exchange.getRequestBody().readAllBytes();
    if (!sent.equals(credentials)) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"git\"");
      exchange.sendResponseHeaders(401, -1);
      return;
    }
    answer(exchange, backend(exchange, body));
  }

  private byte[] backend(HttpExchange exchange, byte[] body) throws IOException {
    var builder = new ProcessBuilder(BACKEND.toString());
    var environment = builder.environment();
    environment.put("GIT_PROJECT_ROOT", repositories.toString());
    environment.put("GIT_HTTP_EXPORT_ALL", "1");
    environment.put("REMOTE_USER", "me");
    environment.put("REQUEST_METHOD", exchange.getRequestMethod());
    environment.put("PATH_INFO", exchange.getRequestURI().getPath());
    environment.put(
        "QUERY_STRING", Objects.requireNonNullElse(exchange.getRequestURI().getQuery(), ""));
    put(environment, "CONTENT_TYPE", exchange, "Content-Type");
    put(environment, "HTTP_CONTENT_ENCODING", exchange, "Content-Encoding");
    put(environment, "GIT_PROTOCOL", exchange, "Git-Protocol");
    environment.put("CONTENT_LENGTH", Integer.toString(body.length));
    Process backend = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Thread writer =
        Thread.startVirtualThread(() -> {
          try (var in = backend.getOutputStream()) {
            new ByteArrayInputStream(body).transferTo(in);
          } catch (IOException e) {
            // It has read what it needs.
          }
        });
    byte[] said = backend.getInputStream().readAllBytes();
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return said;
  }

  private static void put(
      Map<String, String> environment, String name, HttpExchange from, String header) {
    String value = from.getRequestHeaders().getFirst(header);
    if (value != null) {
      environment.put(name, value);
    }
  }

  /** Of a CGI program: fields, an empty line and the body. */
  private static void answer(HttpExchange exchange, byte[] said) throws IOException {
    String text = new String(said, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    int status = 200;
    for (String line : text.substring(0, end).split("\r\n")) {
      String value = line.substring(line.indexOf(':') + 1).strip();
      if (line.startsWith("Status:")) {
        status = Integer.parseInt(value.substring(0, 3));
      } else {
        exchange.getResponseHeaders().add(line.substring(0, line.indexOf(':')), value);
      }
    }
    byte[] body = Arrays.copyOfRange(said, end + 4, said.length);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }
}
