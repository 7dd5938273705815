package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a sandbox may reach. A rule is {@code HOST[:PORT|:LOW-HIGH] [METHODS] [PATH...]}, such as
 * {@code *.example.com:443}, {@code 192.0.2.0/24} or {@code api.example.com GET,HEAD /v1/*}. A
 * denial beats a permission.
 *
 * <p>Begin with {@link #denying}, {@link #allowing} or {@link #asking}; each method gives a copy.
 *
 * @param fallback what becomes of all that no rule speaks of: deny, allow or ask
 * @param presets hosts that are often wanted together: packages, llm, git
 * @param attended whether somebody answers what {@code ask} asks; otherwise that is refused at once
 * @param limits how much of it there may be
 */
public record Network(
    String fallback,
    List<String> presets,
    List<String> allow,
    List<String> deny,
    boolean attended,
    NetworkLimits limits) {
  public Network {
    presets = List.copyOf(presets);
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
  }

  /** Nothing but what rules and presets allow. */
  public static Network denying() {
    return of("deny");
  }

  /** Everything but what rules deny. */
  public static Network allowing() {
    return of("allow");
  }

  /** What no rule speaks of is asked about; see {@link #attended(boolean)}. */
  public static Network asking() {
    return of("ask");
  }

  private static Network of(String fallback) {
    return new Network(fallback, List.of(), List.of(), List.of(), false, NetworkLimits.usual());
  }

  static Network of(JsonObject json) {
    return new Network(
        json.requireText("default"),
        json.texts("presets"),
        json.texts("allow"),
        json.texts("deny"),
        json.flag("attended"),
        json.find("limits").isPresent()
            ? NetworkLimits.of(json.requireObject("limits"))
            : NetworkLimits.usual());
  }

  /** The same rules, with another word on all that they do not speak of: deny, allow or ask. */
  public Network withFallback(String newFallback) {
    return new Network(newFallback, presets, allow, deny, attended, limits);
  }

  public Network preset(String name) {
    return new Network(fallback, with(presets, name), allow, deny, attended, limits);
  }

  /** Allows it from now on, also where the same rule was a denial. */
  public Network allow(String rule) {
    return new Network(fallback, presets, with(allow, rule), without(deny, rule), attended, limits);
  }

  /** Denies it from now on, also where the same rule was a permission. */
  public Network deny(String rule) {
    return new Network(fallback, presets, without(allow, rule), with(deny, rule), attended, limits);
  }

  /** Whether somebody watches {@link Sandbox#networkQuestions} and answers. */
  public Network attended(boolean someoneAnswers) {
    return new Network(fallback, presets, allow, deny, someoneAnswers, limits);
  }

  /** In place of those before. */
  public Network limits(NetworkLimits newLimits) {
    return new Network(fallback, presets, allow, deny, attended, newLimits);
  }

  private static List<String> with(List<String> texts, String text) {
    return texts.contains(text) ? texts : Stream.concat(texts.stream(), Stream.of(text)).toList();
  }

  private static List<String> without(List<String> texts, String text) {
    return texts.stream().filter(other -> !other.equals(text)).toList();
  }

  JsonObject toBody() {
    var json =
        JsonObject.builder()
            .put("default", fallback)
            .put("presets", JsonValue.ofTexts(presets))
            .put("allow", JsonValue.ofTexts(allow))
            .put("deny", JsonValue.ofTexts(deny))
            .put("attended", attended);
    if (!limits.equals(NetworkLimits.usual())) {
      json.put("limits", limits.toBody());
    }
    return json.build();
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(toBody());
  }
}
