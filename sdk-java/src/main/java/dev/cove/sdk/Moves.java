package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import dev.cove.sdk.transport.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Sandboxes, checkpoints and templates as files that go to another machine. A file bears its own
 * digest: one that was changed or cut off is refused.
 */
public final class Moves {
  private static final Duration SILENCE_LIMIT = Duration.ofMinutes(10);
  private static final int BUFFER = 128 * 1024;

  private final Api api;

  Moves(Api api) {
    this.api = api;
  }

  /** Writes what a sandbox has now, as a checkpoint. */
  public void exportSandbox(String idOrName, OutputStream out) {
    export("/sandboxes/" + Api.encode(idOrName), out);
  }

  public void exportCheckpoint(String id, OutputStream out) {
    export("/checkpoints/" + Api.encode(id), out);
  }

  public void exportTemplate(String reference, OutputStream out) {
    export("/templates/" + Api.encode(reference), out);
  }

  /** Writes a template as an image that OCI tools and {@code docker load} read. */
  public void writeImage(String reference, OutputStream out) {
    fetch("/templates/" + Api.encode(reference) + "/image", out);
  }

  /**
   * Writes all of the server, while everything goes on; {@code cove restore-backup} makes one of it
   * again.
   */
  public void backup(BackupOptions options, OutputStream out) {
    fetch(
        "/system/backup?keys=%s&sandboxes=%s&onlyLedger=%s"
            .formatted(options.keys(), options.sandboxes(), options.ledgerOnly()),
        out);
  }

  private void export(String path, OutputStream out) {
    fetch(path + "/export", out);
  }

  private void fetch(String path, OutputStream out) {
    Request request = Request.of("GET", Api.ROOT + path).readTimeout(SILENCE_LIMIT);
    try (Response response = api.send(request);
        InputStream body = response.body()) {
      byte[] buffer = new byte[BUFFER];
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        write(out, buffer, read);
      }
    } catch (IOException e) {
      throw api.unreachable(e);
    }
  }

  private static void write(OutputStream out, byte[] buffer, int length) {
    try {
      out.write(buffer, 0, length);
    } catch (IOException e) {
      throw new UncheckedIOException("The file cannot be written: " + e.getMessage(), e);
    }
  }

  /**
   * What came of a file: one of the two.
   *
   * @param checkpoint its id
   * @param template how it is asked for
   */
  public record Imported(Optional<String> checkpoint, Optional<String> template) {
    static Imported of(JsonObject json) {
      return new Imported(json.findText("checkpoint"), json.findText("template"));
    }
  }

  /**
   * Makes what a file holds.
   *
   * @param name what to call it instead of what it was called
   * @throws CoveApiException when the file was changed, or does not fit the machine; then nothing
   *     has changed
   */
  public Imported take(InputStream file, Optional<String> name) {
    String query = name.map(text -> "?name=" + Api.encode(text)).orElse("");
    return api.call(
        Request.of("POST", Api.ROOT + "/import" + query)
            .body(new Body.Streamed(file, -1, "application/vnd.cove.export"))
            .readTimeout(SILENCE_LIMIT),
        Imported::of);
  }
}
