package dev.cove.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * One repository of a registry, over the OCI's distribution protocol.
 *
 * <p>Redirections are followed by hand: what is known to one host is not told to the next. Plain
 * HTTP is spoken only with this machine, and link-local addresses, where clouds keep their secrets,
 * are never asked, whatever a registry says.
 */
final class Registry implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(15);
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final int MAX_REDIRECTS = 5;
  private static final int MAX_TOKEN_BYTES = 64 * 1024;
  private static final List<String> MANIFESTS =
      List.of(
          "application/vnd.oci.image.index.v1+json",
          "application/vnd.oci.image.manifest.v1+json",
          "application/vnd.docker.distribution.manifest.list.v2+json",
          "application/vnd.docker.distribution.manifest.v2+json");

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final ImageReference reference;
  private final Optional<Credentials> credentials;
  private Optional<String> authorization = Optional.empty();

  Registry(ImageReference reference, Optional<Credentials> credentials) {
    this.reference = reference;
    this.credentials = credentials;
  }

  byte[] manifest(String tagOrDigest) throws IOException {
    return document("manifests/" + tagOrDigest, String.join(", ", MANIFESTS));
  }

  byte[] document(Digest digest) throws IOException {
    return document("blobs/" + digest, "*/*");
  }

  private byte[] document(String path, String accept) throws IOException {
    try (InputStream in = open(path, accept)) {
      byte[] bytes = in.readNBytes(Documents.MAX_BYTES + 1);
      if (bytes.length > Documents.MAX_BYTES) {
        throw new BadImageException(
            "%s of %s is longer than %d bytes".formatted(path, reference, Documents.MAX_BYTES));
      }
      return bytes;
    }
  }

  InputStream blob(Digest digest) throws IOException {
    return open("blobs/" + digest, "*/*");
  }

  private InputStream open(String path, String accept) throws IOException {
    URI uri =
        URI.create(
            "%s://%s/v2/%s/%s"
                .formatted(
                    isThisMachine(reference.host()) ? "http" : "https",
                    reference.host(),
                    reference.repository(),
                    path));
    HttpResponse<InputStream> response = send(uri, accept, authorization);
    if (response.statusCode() == 401 && authorization.isEmpty()) {
      authorization = Optional.of(authorize(response));
      response = send(uri, accept, authorization);
    }
    return requireOk(followed(response, accept), path);
  }

  private InputStream requireOk(HttpResponse<InputStream> response, String path)
      throws IOException {
    if (response.statusCode() == 200) {
      return response.body();
    }
    response.body().close();
    throw new BadImageException(
        switch (response.statusCode()) {
          case 401, 403 ->
              "%s may not be read with these credentials, or is not there".formatted(reference);
          case 404 -> "%s is not in the registry (%s)".formatted(reference, path);
          case 429 -> "%s: the registry says that too much was asked of it".formatted(reference);
          default -> "%s: the registry answered %d".formatted(reference, response.statusCode());
        });
  }

  private HttpResponse<InputStream> followed(HttpResponse<InputStream> first, String accept)
      throws IOException {
    HttpResponse<InputStream> response = first;
    for (int i = 0; response.statusCode() / 100 == 3; i++) {
      String to = response.headers().firstValue("Location").orElse("");
      response.body().close();
      if (i == MAX_REDIRECTS || to.isEmpty()) {
        throw new BadImageException(reference + ": the registry redirects without end");
      }
      URI target = resolve(response.uri(), to);
      boolean same = target.getAuthority().equals(response.uri().getAuthority());
      response = send(target, accept, same ? authorization : Optional.empty());
    }
    return response;
  }

  private HttpResponse<InputStream> send(URI uri, String accept, Optional<String> authorized)
      throws IOException {
    requireReachable(uri);
    var request = HttpRequest.newBuilder(uri).timeout(ANSWER).header("Accept", accept).GET();
    authorized.ifPresent(value -> request.header("Authorization", value));
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while the registry was asked", e);
    } catch (IOException e) {
      throw new IOException(
          "Registry %s cannot be reached: %s".formatted(uri.getAuthority(), reason(e)), e);
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  /** What a challenge asks for: the credentials themselves, or a token that they buy. */
  private String authorize(HttpResponse<InputStream> response) throws IOException {
    response.body().close();
    Challenge challenge =
        Challenge.parse(response.headers().firstValue("WWW-Authenticate").orElse(""));
    if (challenge.scheme().equalsIgnoreCase("basic")) {
      return credentials
          .orElseThrow(() -> new BadImageException(reference + " needs credentials"))
          .basic();
    }
    URI realm = resolve(response.uri(), challenge.parameters().getOrDefault("realm", ""));
    String query =
        "service=%s&scope=%s"
            .formatted(
                encoded(challenge.parameters().getOrDefault("service", "")),
                encoded("repository:%s:pull".formatted(reference.repository())));
    URI asked = URI.create(realm + (realm.getQuery() == null ? "?" : "&") + query);
    HttpResponse<InputStream> answer =
        send(asked, "application/json", credentials.map(Credentials::basic));
    try (InputStream in = requireOk(answer, "token")) {
      JsonNode token = Documents.parse(in.readNBytes(MAX_TOKEN_BYTES), "The registry's token");
      String value = token.path("token").asString(token.path("access_token").asString(""));
      if (value.isEmpty()) {
        throw new BadImageException(reference + ": the registry gave no token");
      }
      return "Bearer " + value;
    }
  }

  private record Challenge(String scheme, Map<String, String> parameters) {
    static Challenge parse(String header) {
      var parameters = new HashMap<String, String>();
      int space = header.indexOf(' ');
      var pairs =
          Pattern.compile("([a-zA-Z]+)=\"([^\"]*)\"")
              .matcher(space < 0 ? "" : header.substring(space));
      while (pairs.find()) {
        parameters.put(pairs.group(1), pairs.group(2));
      }
      return new Challenge(space < 0 ? header : header.substring(0, space), parameters);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private URI resolve(URI from, String to) throws BadImageException {
    try {
      URI target = from.resolve(to);
      boolean plain = "http".equals(target.getScheme());
      if (target.getHost() == null || !(plain || "https".equals(target.getScheme()))) {
        throw new BadImageException(reference + ": the registry points to what is no address");
      }
      if (plain && !isThisMachine(target.getHost())) {
        throw new BadImageException(
            reference + ": the registry points to an address without encryption");
      }
      if (isThisMachine(target.getHost()) && !isThisMachine(reference.host())) {
        throw new BadImageException(reference + ": the registry points back to this machine");
      }
      return target;
    } catch (IllegalArgumentException e) {
      throw new BadImageException(reference + ": the registry points to what is no address", e);
    }
  }

  private static boolean isThisMachine(String host) {
    String name = host.replaceFirst(":[0-9]+$", "");
    return name.equals("localhost") || name.equals("127.0.0.1") || name.equals("[::1]");
  }

  private static void requireReachable(URI uri) throws IOException {
    for (InetAddress address : InetAddress.getAllByName(uri.getHost())) {
      if (address.isLinkLocalAddress() || address.isAnyLocalAddress()) {
        throw new BadImageException(uri.getHost() + " has an address that is never asked");
      }
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
