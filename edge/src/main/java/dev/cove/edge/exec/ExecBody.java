package dev.cove.edge.exec;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request to run a command and tell how it went. */
record ExecBody(
    @Nullable List<@Nullable String> command,
    @Nullable String cwd,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String user,
    @Nullable Long timeoutMs,
    @Nullable String stdin,
    @Nullable String stdinBase64,
    @Nullable String encoding) {
  CommandFields fields() {
    return new CommandFields(command, cwd, env, user, timeoutMs);
  }

  Optional<byte[]> input() {
    if (stdin != null && stdinBase64 != null) {
      throw new IllegalArgumentException("Give stdin or stdinBase64, not both");
    }
    if (stdin != null) {
      return Optional.of(stdin.getBytes(StandardCharsets.UTF_8));
    }
    return Optional.ofNullable(stdinBase64).map(ExecBody::decode);
  }

  Encoding outputEncoding() {
    return Encoding.require(encoding);
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("stdinBase64 is not valid base64", e);
    }
  }
}
