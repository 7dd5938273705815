package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What a server on this machine has left about itself. It may have died since.
 *
 * @param pid its process
 */
public record LocalServer(URI url, long pid, String version) {
  /** Looks in the home that {@code COVE_HOME} names, or in the usual place. */
  public static Optional<LocalServer> find(Map<String, String> environment) {
    Path file = runFolder(environment).resolve("server.json");
    try {
      JsonObject json = Json.parseObject(Files.readAllBytes(file));
      return Optional.of(
          new LocalServer(
              URI.create(json.requireText("url")),
              json.requireLong("pid"),
              json.requireText("version")));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new CoveConnectionException(
          "The local server's address in " + file + " can't be read by this user", e);
    } catch (JsonShapeException | IllegalArgumentException e) {
      throw new CoveConnectionException("The local server's address in " + file + " is damaged", e);
    }
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
}
