package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a new template is to be: a source, perhaps steps, and settings. What is not said is up to
 * the server. Each method gives a copy.
 *
 * <p>Steps are for {@link #from} alone and are carried out in their order. {@link #env}, {@link
 * #user} and {@link #cwd} are settings of the finished template; {@link #setEnv}, {@link #asUser}
 * and {@link #workdir} are steps, and count for those after them too.
 */
public final class TemplateBuild {
  private final Map<String, JsonValue> fields;

  private TemplateBuild(Map<String, JsonValue> fields) {
    this.fields = fields;
  }

  private static TemplateBuild of(String source, JsonValue value) {
    return new TemplateBuild(Map.of(source, value));
  }

  /** An image of a registry; its name and tag become the template's unless others are given. */
  public static TemplateBuild fromImage(String reference) {
    return of("image", JsonValue.of(reference));
  }

  /** Debian from the server's package sources; called debian unless a name is given. */
  public static TemplateBuild fromDebian() {
    return of("debian", JsonObject.builder().build());
  }

  /** Something that the server knows how to make: {@code base} or {@code code-interpreter-v1}. */
  public static TemplateBuild fromRecipe(String recipe) {
    return of("recipe", JsonObject.builder().put("name", recipe).build());
  }

  /** A package beside those of the recipe; may be said often. */
  public TemplateBuild recipePackage(String name) {
    JsonObject recipe = object("recipe");
    return member("recipe", "packages", appended(recipe.members(), "packages", name));
  }

  /** What a sandbox had written when the checkpoint was taken, without its variables. */
  public static TemplateBuild fromCheckpoint(String id) {
    return of("checkpoint", JsonValue.of(id));
  }

  /** A Dockerfile that needs no files; for others see {@link Templates#buildFromContext}. */
  public static TemplateBuild fromDockerfile(String text) {
    return of("dockerfile", JsonValue.of(text));
  }

  /** A template or image to carry out steps on, or {@code scratch}. */
  public static TemplateBuild from(String templateOrImage) {
    return of("from", JsonValue.of(templateOrImage));
  }

  /** Which Debian: {@code trixie}, for example. */
  public TemplateBuild debianSuite(String suite) {
    return member("debian", "suite", JsonValue.of(suite));
  }

  /** A package beside those that every Debian has; may be said often. */
  public TemplateBuild debianPackage(String name) {
    JsonObject debian = object("debian");
    return member("debian", "packages", appended(debian.members(), "packages", name));
  }

  public TemplateBuild name(String name) {
    return with("name", JsonValue.of(name));
  }

  /** Points to the new version from then on; may be said often. Without any it is latest. */
  public TemplateBuild tag(String tag) {
    return with("tags", appended(fields, "tags", tag));
  }

  /** For a registry that asks who calls; with an image, a Dockerfile or {@link #from}. */
  public TemplateBuild registry(String username, String password) {
    return with(
        "registry",
        JsonObject.builder().put("username", username).put("password", password).build());
  }

  /** A value for the Dockerfile's ARG of that name. */
  public TemplateBuild argument(String name, String value) {
    return member("arguments", name, JsonValue.of(value));
  }

  /** A variable that every command in its sandboxes gets. */
  public TemplateBuild env(String name, String value) {
    return member("env", name, JsonValue.of(value));
  }

  /** Who runs commands in its sandboxes unless another is named. */
  public TemplateBuild user(String user) {
    return with("user", JsonValue.of(user));
  }

  /** Where commands run in its sandboxes unless another folder is named. */
  public TemplateBuild cwd(String folder) {
    return with("cwd", JsonValue.of(folder));
  }

  /** What happens to its sandboxes by themselves, unless it is said otherwise of one. */
  public TemplateBuild life(LifeChange life) {
    return with("life", life.toBody());
  }

  /** How much its sandboxes may use, unless it is said when they are made. */
  public TemplateBuild limits(Limits limits) {
    return with("limits", limits.toBody());
  }

  /** Every step is carried out; with {@link #fromDockerfile} and {@link #from}. */
  public TemplateBuild noCache() {
    return with("noCache", JsonValue.of(true));
  }

  /** What its sandboxes may reach unless it is said when they are made. */
  public TemplateBuild network(Network network) {
    return with("network", network.toBody());
  }

  /** A service that runs in each sandbox before its owner gets it. */
  public TemplateBuild start(String... argv) {
    return with("start", JsonValue.ofTexts(List.of(argv)));
  }

  /** Is tried until it succeeds, before a sandbox counts as started. */
  public TemplateBuild ready(String... argv) {
    return with("ready", JsonValue.ofTexts(List.of(argv)));
  }

  /** Step: a line for {@code sh -c}. */
  public TemplateBuild run(String script) {
    return step("run", JsonValue.of(script));
  }

  /** Step: a program and its arguments; no shell looks at them. */
  public TemplateBuild exec(String... argv) {
    return step("exec", JsonValue.ofTexts(List.of(argv)));
  }

  /** Step: a variable from here on. */
  public TemplateBuild setEnv(String name, String value) {
    return step("env", JsonObject.builder().put(name, value).build());
  }

  /** Step: the folder from here on; it is made. */
  public TemplateBuild workdir(String folder) {
    return step("workdir", JsonValue.of(folder));
  }

  /** Step: who runs commands from here on. */
  public TemplateBuild asUser(String user) {
    return step("user", JsonValue.of(user));
  }

  /** Step: what runs in a sandbox when no command is given. */
  public TemplateBuild entrypoint(String... argv) {
    return step("entrypoint", JsonValue.ofTexts(List.of(argv)));
  }

  /** Step: what follows the entrypoint, or stands in its place. */
  public TemplateBuild cmd(String... argv) {
    return step("cmd", JsonValue.ofTexts(List.of(argv)));
  }

  JsonObject toJson() {
    return new JsonObject(fields);
  }

  private TemplateBuild step(String kind, JsonValue value) {
    JsonValue step = JsonObject.builder().put(kind, value).build();
    return with("steps", appended(fields, "steps", step));
  }

  private TemplateBuild member(String field, String name, JsonValue value) {
    Map<String, JsonValue> members = new LinkedHashMap<>(object(field).members());
    members.put(name, value);
    return with(field, new JsonObject(members));
  }

  private JsonObject object(String field) {
    return fields.get(field) instanceof JsonObject object ? object : new JsonObject(Map.of());
  }

  private TemplateBuild with(String field, JsonValue value) {
    Map<String, JsonValue> more = new LinkedHashMap<>(fields);
    more.put(field, value);
    return new TemplateBuild(more);
  }

  private static JsonValue appended(Map<String, JsonValue> in, String field, String text) {
    return appended(in, field, JsonValue.of(text));
  }

  private static JsonValue appended(Map<String, JsonValue> in, String field, JsonValue item) {
    List<JsonValue> items = new ArrayList<>();
    if (in.get(field) instanceof JsonValue.Items(List<JsonValue> before)) {
      items.addAll(before);
    }
    items.add(item);
    return new JsonValue.Items(items);
  }
}
