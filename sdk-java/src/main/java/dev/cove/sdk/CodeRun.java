package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Code that is to be run, and how. */
public final class CodeRun {
  private final String code;
  private final Optional<String> language;
  private final Optional<String> context;
  private final Map<String, String> env;
  private final Duration timeout;

  private CodeRun(
      String code,
      Optional<String> language,
      Optional<String> context,
      Map<String, String> env,
      Duration timeout) {
    this.code = code;
    this.language = language;
    this.context = context;
    this.env = Map.copyOf(env);
    this.timeout = timeout;
  }

  /** In the context that each language has of itself. */
  public static CodeRun of(String language, String code) {
    return new CodeRun(code, Optional.of(language), Optional.empty(), Map.of(), Duration.ZERO);
  }

  /** In a context that was made before. */
  public static CodeRun in(CodeContext context, String code) {
    return inContext(context.id(), code);
  }

  public static CodeRun inContext(String contextId, String code) {
    return new CodeRun(code, Optional.empty(), Optional.of(contextId), Map.of(), Duration.ZERO);
  }

  /** A variable for this run alone. */
  public CodeRun env(String name, String value) {
    var more = new HashMap<>(env);
    more.put(name, value);
    return new CodeRun(code, language, context, more, timeout);
  }

  /** After so long it is interrupted; what the context remembers stays. */
  public CodeRun timeout(Duration limit) {
    return new CodeRun(code, language, context, env, limit);
  }

  JsonObject toJson() {
    var json = JsonObject.builder().put("code", code).put("env", JsonObject.ofTexts(env));
    language.ifPresent(name -> json.put("language", name));
    context.ifPresent(id -> json.put("context", id));
    if (timeout.isPositive()) {
      json.put("timeoutMs", timeout.toMillis());
    }
    return json.build();
  }
}
