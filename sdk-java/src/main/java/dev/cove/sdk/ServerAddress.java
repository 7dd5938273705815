package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonShapeException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
    Optional<URI> local = findLocalUrl(environment);
    if (local.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ServerAddress(local.get(), key.isEmpty() ? requireLocalKey(environment) : key));
  }

  /** The folder for run-time files: {@code $COVE_HOME/run}, or {@code /run/cove}. */
  public static Path runFolder(Map<String, String> environment) {
    String home = environment.getOrDefault("COVE_HOME", "");
    return home.isEmpty() ? Path.of("/run/cove") : Path.of(home, "run").toAbsolutePath();
  }

  /** The folder for lasting files: {@code $COVE_HOME/data}, or {@code /var/lib/cove}. */
  public static Path dataFolder(Map<String, String> environment) {
    String home = environment.getOrDefault("COVE_HOME", "");
    return home.isEmpty() ? Path.of("/var/lib/cove") : Path.of(home, "data").toAbsolutePath();
  }

  private static Optional<URI> findLocalUrl(Map<String, String> environment) {
    Path file = runFolder(environment).resolve("server.json");
    try {
      return Optional.of(parse(Json.parseObject(Files.readAllBytes(file)).requireText("url")));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new CoveConnectionException(
          "The local server's address in " + file + " can't be read", e);
    } catch (JsonShapeException e) {
      throw new CoveConnectionException("The local server's address in " + file + " is damaged", e);
    }
  }

  private static String requireLocalKey(Map<String, String> environment) {
    Path file = dataFolder(environment).resolve("local.key");
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
      throw new CoveConnectionException("The server's address is not a URL: " + url, e);
    }
  }

  @Override
  public String toString() {
    return "ServerAddress[" + url + "]";
  }
}
