package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What a finished command left: how it ended and what it wrote. */
public final class ExecResult {
  private final ExitStatus exit;
  private final byte[] stdout;
  private final byte[] stderr;
  private final boolean truncated;

  private ExecResult(ExitStatus exit, byte[] stdout, byte[] stderr, boolean truncated) {
    this.exit = exit;
    this.stdout = stdout;
    this.stderr = stderr;
    this.truncated = truncated;
  }

  static ExecResult of(JsonObject json) {
    return new ExecResult(
        ExitStatus.of(json),
        decode(json.requireText("stdout")),
        decode(json.requireText("stderr")),
        json.flag("stdoutTruncated") || json.flag("stderrTruncated"));
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new JsonShapeException("The output is not base64", e);
    }
  }

  public ExitStatus exit() {
    return exit;
  }

  public int exitCode() {
    return exit.exitCode();
  }

  public String stdout() {
    return new String(stdout, StandardCharsets.UTF_8);
  }

  public String stderr() {
    return new String(stderr, StandardCharsets.UTF_8);
  }

  public byte[] stdoutBytes() {
    return stdout.clone();
  }

  public byte[] stderrBytes() {
    return stderr.clone();
  }

  /** Whether a stream was longer than the server keeps; use {@link Sandbox#start} for those. */
  public boolean truncated() {
    return truncated;
  }

  @Override
  public String toString() {
    return "ExecResult[exitCode=%d, stdout=%d bytes, stderr=%d bytes]"
        .formatted(exitCode(), stdout.length, stderr.length);
  }
}
