package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a new sandbox is to be. What is not said is up to the server. Each method gives a copy. */
public final class CreateOptions {
  private final Map<String, JsonValue> fields;
  private final Map<String, String> env;
  private final Map<String, String> labels;
  private final @Nullable String idempotencyKey;

  private CreateOptions(
      Map<String, JsonValue> fields,
      Map<String, String> env,
      Map<String, String> labels,
      @Nullable String idempotencyKey) {
    this.fields = fields;
    this.env = env;
    this.labels = labels;
    this.idempotencyKey = idempotencyKey;
  }

  public static CreateOptions defaults() {
    return new CreateOptions(Map.of(), Map.of(), Map.of(), null);
  }

  /** Free text, unique among the sandboxes that exist. */
  public CreateOptions name(String name) {
    return with("name", JsonValue.of(name));
  }

  /**
   * What its root file system starts from: name, {@code name:tag} or {@code name@version}. The
   * template debian is made on first use.
   */
  public CreateOptions template(String template) {
    return with("template", JsonValue.of(template));
  }

  /** An image to start from, instead of a template; fetched when it is not there yet. */
  public CreateOptions image(String reference) {
    return with("image", JsonValue.of(reference));
  }

  /**
   * What its root file system goes on from. Template and disk are then the checkpoint's, and asking
   * for others is refused.
   */
  public CreateOptions checkpoint(String id) {
    return with("checkpoint", JsonValue.of(id));
  }

  /** When its checkpoints come and go; without it, none comes by itself. */
  public CreateOptions checkpointRules(CheckpointRules rules) {
    return with("checkpoints", rules.toBody());
  }

  /** How much it may use. */
  public CreateOptions budget(BudgetLimits limits) {
    return with("budget", limits.toJson());
  }

  /** What happens to it by itself; what is not said here, its template says, or the server. */
  public CreateOptions life(LifeChange life) {
    return with("life", life.toBody());
  }

  /** The isolation boundary: container, gvisor or microvm; never weakened. */
  public CreateOptions tier(String tier) {
    return with("tier", JsonValue.of(tier));
  }

  /** A kernel of its own; without a tier, one that has it is chosen, or the create is refused. */
  public CreateOptions requireOwnKernel() {
    return requiring("kernel", JsonValue.of("own"));
  }

  /** A boundary that the processor's virtualisation holds. */
  public CreateOptions requireHardware() {
    return requiring("hardware", JsonValue.of(true));
  }

  /**
   * Memory that outlasts a pause.
   *
   * @param where ram, or disk, which outlasts the host as well
   */
  public CreateOptions requireMemoryOnPause(String where) {
    return requiring("memoryOnPause", JsonValue.of(where));
  }

  /** Checkpoints that hold memory, too. */
  public CreateOptions requireMemoryInCheckpoints() {
    return requiring("memoryInCheckpoints", JsonValue.of(true));
  }

  private CreateOptions requiring(String guarantee, JsonValue value) {
    Map<String, JsonValue> all = new LinkedHashMap<>();
    if (fields.get("requires") instanceof JsonObject before) {
      all.putAll(before.members());
    }
    all.put(guarantee, value);
    return with("requires", new JsonObject(all));
  }

  public CreateOptions cpus(double cpus) {
    return with("cpus", JsonValue.of(cpus));
  }

  public CreateOptions memoryMb(int megabytes) {
    return with("memoryMb", JsonValue.of(megabytes));
  }

  public CreateOptions diskMb(int megabytes) {
    return with("diskMb", JsonValue.of(megabytes));
  }

  public CreateOptions maxProcesses(int count) {
    return with("maxProcesses", JsonValue.of(count));
  }

  /** A variable that every command in the sandbox gets. */
  public CreateOptions env(String name, String value) {
    return new CreateOptions(fields, plus(env, name, value), labels, idempotencyKey);
  }

  /** A volume that the sandbox may write to, and nobody else meanwhile. */
  public CreateOptions volume(String idOrName, String target) {
    return volume(idOrName, target, false);
  }

  /** A volume that the sandbox has at that folder; many may read one that nobody writes to. */
  public CreateOptions volume(String idOrName, String target, boolean readOnly) {
    return withItem(
        "volumes",
        JsonObject.builder()
            .put("volume", idOrName)
            .put("target", target)
            .put("readOnly", readOnly)
            .build());
  }

  /** A folder of the server's host, which the sandbox may change for itself alone. */
  public CreateOptions project(Project project) {
    return withItem("projects", project.toBody());
  }

  /** What it may reach; without it what its template says, or nothing. */
  public CreateOptions network(Network network) {
    return with("network", network.toBody());
  }

  /** A secret of the server that goes into what it sends; inside there is only a placeholder. */
  public CreateOptions secret(SecretBinding binding) {
    return withItem("secrets", binding.toBody());
  }

  /** Sandboxes of one group reach each other by their names, and nobody else reaches them. */
  public CreateOptions group(String name) {
    return with("group", JsonValue.of(name));
  }

  /** Ports such as {@code 5432} or {@code 8000-8099} that it offers to its group; else all. */
  public CreateOptions groupPorts(String... ports) {
    return with("groupPorts", JsonValue.ofTexts(List.of(ports)));
  }

  /**
   * A program that is started with it, and again whenever it starts; what it says goes into the
   * sandbox's log. Short for a service named start.
   */
  public CreateOptions start(String... command) {
    return with("start", JsonValue.ofTexts(List.of(command)));
  }

  /** A program that it is to have running; several are started in the order in which they come. */
  public CreateOptions service(Service service) {
    return withItem("services", service.toBody());
  }

  public CreateOptions label(String name, String value) {
    return new CreateOptions(fields, env, plus(labels, name, value), idempotencyKey);
  }

  /** The same key with the same options gives the same sandbox, however often it is sent. */
  public CreateOptions idempotencyKey(String key) {
    return new CreateOptions(fields, env, labels, key);
  }

  /** Whether the server may have to make something first, which takes minutes. */
  boolean mayBuild() {
    return fields.containsKey("image") || JsonValue.of("debian").equals(fields.get("template"));
  }

  Optional<String> findIdempotencyKey() {
    return Optional.ofNullable(idempotencyKey);
  }

  JsonObject toJson() {
    var json = JsonObject.builder();
    fields.forEach(json::put);
    if (!env.isEmpty()) {
      json.put("env", JsonObject.ofTexts(env));
    }
    if (!labels.isEmpty()) {
      json.put("labels", JsonObject.ofTexts(labels));
    }
    return json.build();
  }

  private CreateOptions with(String field, JsonValue value) {
    Map<String, JsonValue> more = new LinkedHashMap<>(fields);
    more.put(field, value);
    return new CreateOptions(more, env, labels, idempotencyKey);
  }

  private CreateOptions withItem(String field, JsonValue item) {
    List<JsonValue> all = new ArrayList<>();
    if (fields.get(field) instanceof JsonValue.Items(List<JsonValue> before)) {
      all.addAll(before);
    }
    all.add(item);
    return with(field, new JsonValue.Items(all));
  }

  private static Map<String, String> plus(Map<String, String> map, String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(map);
    more.put(name, value);
    return more;
  }
}
