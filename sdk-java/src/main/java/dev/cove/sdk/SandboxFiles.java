package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * The files of one sandbox, as one of its users sees them. Paths are absolute. Writing is atomic: a
 * reader sees the old file or the new one.
 */
public final class SandboxFiles implements ReadableFiles {
  private static final String BYTES = "application/octet-stream";
  private static final String ARCHIVE = "application/gzip";

  /** What an uploaded archive became. */
  public record Unpacked(long files, long folders, long symlinks, long bytes) {}

  /**
   * What a folder holds.
   *
   * @param truncated whether there is more than the limit allowed
   */
  public record Listing(List<FileInfo> items, boolean truncated) {}

  private final Api api;
  private final String path;
  private final String user;

  SandboxFiles(Api api, String path, String user) {
    this.api = api;
    this.path = path;
    this.user = user;
  }

  @Override
  public SandboxFiles as(String otherUser) {
    return new SandboxFiles(api, path, otherUser);
  }

  @Override
  public InputStream read(String file) {
    return api.send(Request.of("GET", at("", file))).body();
  }

  @Override
  public InputStream read(String file, long offset, long length) {
    return api.send(Request.of("GET", at("", file) + "&offset=" + offset + "&length=" + length))
        .body();
  }

  @Override
  public byte[] readBytes(String file) {
    try (InputStream stream = read(file)) {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw api.unreachable(e);
    }
  }

  @Override
  public String readString(String file) {
    return new String(readBytes(file), StandardCharsets.UTF_8);
  }

  public FileInfo write(String file, String text) {
    return write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  public FileInfo write(String file, byte[] bytes) {
    return put(at("", file), new Body.Bytes(bytes, BYTES));
  }

  /** Writes until the source ends; whatever its size, little of it is in memory at once. */
  public FileInfo write(String file, InputStream source) {
    return put(at("", file), new Body.Streamed(source, -1, BYTES));
  }

  /**
   * Writes until the source ends.
   *
   * @param mode permission bits in octal, such as {@code 0755}
   * @param parents whether to make the folders that lead there
   */
  public FileInfo write(String file, InputStream source, String mode, boolean parents) {
    String target = at("", file) + "&mode=" + Api.encode(mode) + "&parents=" + parents;
    return put(target, new Body.Streamed(source, -1, BYTES));
  }

  private FileInfo put(String target, Body body) {
    return api.call(Request.of("PUT", target).body(body).readTimeout(Duration.ZERO), FileInfo::of);
  }

  @Override
  public FileInfo stat(String file) {
    return api.fetch(at("/stat", file), FileInfo::of);
  }

  @Override
  public FileInfo statLink(String file) {
    return api.fetch(at("/stat", file) + "&follow=false", FileInfo::of);
  }

  @Override
  public boolean exists(String file) {
    try {
      stat(file);
      return true;
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public List<FileInfo> list(String folder) {
    return list(folder, 1, 1_000).items();
  }

  @Override
  public Listing list(String folder, int depth, int limit) {
    return api.fetch(
        at("/list", folder) + "&depth=" + depth + "&limit=" + limit,
        json ->
            new Listing(
                json.objects("items").stream().map(FileInfo::of).toList(), json.flag("truncated")));
  }

  /** Makes a folder and those that lead to it. */
  public void mkdir(String folder) {
    order("/mkdir", JsonObject.builder().put("path", folder).put("parents", true));
  }

  public void move(String from, String to, boolean overwrite) {
    order(
        "/move", JsonObject.builder().put("from", from).put("to", to).put("overwrite", overwrite));
  }

  /** The mode is octal, such as {@code 0755}. */
  public void chmod(String file, String mode) {
    order("/chmod", JsonObject.builder().put("path", file).put("mode", mode));
  }

  public void symlink(String link, String target) {
    order("/symlink", JsonObject.builder().put("path", link).put("target", target));
  }

  public void remove(String file) {
    api.order(Request.of("DELETE", at("", file)));
  }

  /** Removes a folder and all that is in it. */
  public void removeTree(String folder) {
    api.order(Request.of("DELETE", at("", folder) + "&recursive=true"));
  }

  /** Reports changes below a folder, until closed. */
  public FileWatch watch(String folder, boolean recursive) {
    String target = at("/watch", folder) + "&recursive=" + recursive;
    return new FileWatch(
        api.send(
            Request.of("GET", target)
                .header("Accept", "text/event-stream")
                .readTimeout(FileWatch.SILENCE_LIMIT)));
  }

  @Override
  public InputStream downloadArchive(String fileOrFolder) {
    return api.send(Request.of("GET", at("/archive", fileOrFolder))).body();
  }

  /** Unpacks a tar.gz below a folder. */
  public Unpacked uploadArchive(String folder, InputStream tarGz) {
    return api.call(
        Request.of("PUT", at("/archive", folder))
            .body(new Body.Streamed(tarGz, -1, ARCHIVE))
            .readTimeout(Duration.ZERO),
        json ->
            new Unpacked(
                json.requireLong("files"),
                json.requireLong("folders"),
                json.requireLong("symlinks"),
                json.requireLong("bytes")));
  }

  private void order(String verb, JsonObject.Builder body) {
    api.order(
        "POST", path + verb + (user.isEmpty() ? "" : "?user=" + Api.encode(user)), body.build());
  }

  private String at(String verb, String file) {
    String target = path + verb + "?path=" + Api.encode(file);
    return user.isEmpty() ? target : target + "&user=" + Api.encode(user);
  }
}
