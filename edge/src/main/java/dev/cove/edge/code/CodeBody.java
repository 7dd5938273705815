package dev.cove.edge.code;

import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Json;
import dev.cove.model.SandboxSpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request to run code. */
record CodeBody(
    @Nullable String code,
    @Nullable String language,
    @Nullable String context,
    @Nullable Map<String, @Nullable String> env,
    @Nullable Long timeoutMs) {
  private static final long MAX_TIMEOUT_MS = Duration.ofDays(1).toMillis();

  /** As the interpreter reads it. */
  byte[] inside() {
    if (language != null && context != null) {
      throw new IllegalArgumentException("Give language or context, not both");
    }
    Map<String, String> variables = Fields.textMap("env", env);
    SandboxSpec.requireEnv(variables);
    var told = new LinkedHashMap<String, Object>();
    told.put("code", Fields.require("code", code));
    if (language != null) {
      told.put("language", language);
    }
    if (context != null) {
      told.put("context_id", context);
    }
    told.put("env_vars", variables);
    if (timeoutMs != null) {
      told.put("timeout_ms", Fields.between("timeoutMs", timeoutMs, 1, MAX_TIMEOUT_MS));
    }
    return Json.write(told);
  }
}
