package dev.cove.sdk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where a server is and the key it takes.
 *
 * @param apiKey never printed
 */
public record ServerAddress(URI url, String apiKey) {
  /**
   * Looks in {@code COVE_URL} and {@code COVE_API_KEY}, then in the files that a server on this
   * machine leaves for its own user.
   */
  public static Optional<ServerAddress> find(Map<String, String> environment) {
    String url = environment.getOrDefault("COVE_URL", "");
    String key = environment.getOrDefault("COVE_API_KEY", "");
    if (!url.isEmpty()) {
      if (key.isEmpty()) {
        throw new CoveConnectionException(
            "COVE_URL is set but COVE_API_KEY is not: set both, or neither for the local server");
      }
      return Optional.of(new ServerAddress(parse(url), key));
    }
    return LocalServer.find(environment)
        .map(local ->
            new ServerAddress(local.url(), key.isEmpty() ? requireLocalKey(environment) : key));
  }

  private static String requireLocalKey(Map<String, String> environment) {
    Path file = LocalServer.dataFolder(environment).resolve("local.key");
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new CoveConnectionException(
          "The local server's key in " + file + " can't be read: set COVE_API_KEY", e);
    }
  }

  private static URI parse(String url) {
    try {
      return URI.create(url);
    } catch (IllegalArgumentException e) {
      throw new CoveConnectionException("COVE_URL is not a URL: " + url, e);
    }
  }

  @Override
  public String toString() {
    return "ServerAddress[" + url + "]";
  }
}
